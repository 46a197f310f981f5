#include "ballance/level/level_maker.h"
#include "common/core/array.h"

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

const char *bmx_plain_name(struct arena *arena, const char *text, size_t max)
{
    char *name = arena_strlower(arena, text);
    size_t length = strlen(name);
    if (length > max)
        name[length = max] = 0;
    for (size_t i = 0; i < length; i++)
        if (!is_plain(name[i]))
            name[i] = '_';
    return length ? name : "_";
}

const char *bmx_unique_name(struct arena *arena, const char *name, size_t max,
                            struct name_count **names)
{
    enum { DIGITS = 8 };
    const int stem = (int)(max - DIGITS);
    const char *counted = arena_printf(arena, "/%.*s", stem, name), *unique = name;
    if (!*names)
        sh_new_strdup(*names);
    size_t number = shgeti(*names, counted) < 0 ? 1 : shget(*names, counted);
    while (shgeti(*names, unique) >= 0)
        unique = arena_printf(arena, "%.*s_%zu", stem, name, ++number);
    shput(*names, counted, number);
    shput(*names, unique, 1);
    return unique;
}
