#include "ballance/bmx/names.h"
#include "ballance/compile/maker.h"
#include "common/diag/codes/map_to_ballance.def"

/* Longer names are cut by programs. */
enum { NAME_MAX_BYTES = 63, SUFFIX_BYTES = 8 };

/* Returns the length of the text up to a number of bytes, without a part of a character. */
static size_t whole_length(const char *text, size_t max)
{
    size_t length = strlen(text);
    if (length <= max)
        return length;
    for (length = max; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;)
        length--;
    return length;
}

/* In the index names are case-sensitive, but files and editors may not be. */
static bool is_taken(struct ballance_maker *maker, enum bmx_kind kind, const char *name)
{
    return shgeti(maker->names[kind], name) >= 0;
}

const char *ballance_name(struct ballance_maker *maker, enum bmx_kind kind, const char *name,
                          bool is_component, const struct diag_where *where)
{
    struct arena *arena = &maker->arena;
    const char *wanted = *name ? name : bmx_kind_name(kind);
    if (kind == BMX_OBJECT && !is_component && bmx_component_of(wanted) >= 0)
        wanted = arena_printf(arena, "map_%s", wanted);
    wanted = arena_strndup(arena, wanted, whole_length(wanted, NAME_MAX_BYTES));
    const char *unique = wanted;
    for (int i = 2; is_taken(maker, kind, unique); i++)
        unique = arena_printf(arena, "%.*s_%d",
                              (int)whole_length(wanted, NAME_MAX_BYTES - SUFFIX_BYTES), wanted, i);
    if (!maker->names[kind])
        sh_new_strdup(maker->names[kind]);
    shput(maker->names[kind], unique, 1);
    if (where && *name && strcmp(unique, name) != 0)
        diag_report(maker->env->diag, DIAG_BMX_FROM_NAME, where, "%s '%s' is '%s'",
                    bmx_kind_name(kind), name, unique);
    return unique;
}
