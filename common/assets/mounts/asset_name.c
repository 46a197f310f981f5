#include "common/assets/mounts/asset_name.h"

#include <ctype.h>
#include <string.h>

#include "common/core/strings.h"

/* Returns the length of the part that starts at `from`, and the start of the following part in
 * *next. */
static size_t part_length(const char *from, const char **next)
{
    size_t length = strcspn(from, "/\\");
    *next = from + length + (from[length] != 0);
    return length;
}

const char *asset_name(struct arena *arena, const char *name)
{
    char *out = arena_alloc(arena, 1, strlen(name) + 1), *end = out;
    while (isspace((unsigned char)*name))
        name++;
    if (isalpha((unsigned char)name[0]) && name[1] == ':')
        return NULL;
    while (*name) {
        const char *next;
        size_t length = part_length(name, &next);
        if (length == 2 && name[0] == '.' && name[1] == '.')
            return NULL;
        if (length && !(length == 1 && name[0] == '.')) {
            if (end > out)
                *end++ = '/';
            for (size_t i = 0; i < length; i++)
                *end++ = (char)tolower((unsigned char)name[i]);
        }
        name = next;
    }
    while (end > out && isspace((unsigned char)end[-1]))
        end--;
    *end = 0;
    return end > out ? out : NULL;
}

/* Returns the name without materials/ in front and without any of the extensions. */
static const char *bare_name(struct arena *arena, const char *name, const char *const *extensions)
{
    const char *clean = asset_name(arena, name);
    if (!clean)
        return NULL;
    if (str_starts_nocase(clean, "materials/"))
        clean += strlen("materials/");
    for (; *extensions; extensions++)
        if (str_ends_nocase(clean, *extensions))
            clean = arena_strndup(arena, clean, strlen(clean) - strlen(*extensions));
    return *clean ? clean : NULL;
}

const char *asset_material_name(struct arena *arena, const char *name)
{
    static const char *const extensions[] = {".vmt", NULL};
    return bare_name(arena, name, extensions);
}

const char *asset_texture_file(struct arena *arena, const char *name)
{
    static const char *const extensions[] = {".vtf", ".tga", ".vmt", NULL};
    const char *bare = bare_name(arena, name, extensions);
    return bare ? arena_printf(arena, "materials/%s.vtf", bare) : NULL;
}

bool asset_pattern_matches(const char *pattern, const char *text)
{
    /* Position of the last *, and the end of the text that it matches so far: backtracking never
     * goes further back. */
    const char *star = NULL, *taken = text;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            taken = text;
        } else if (*pattern == '?' ||
                   tolower((unsigned char)*pattern) == tolower((unsigned char)*text)) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++taken;
        } else {
            return false;
        }
    }
    return !pattern[strspn(pattern, "*")];
}
