#include "common/bsp/export/shader_names.h"

#include <string.h>

#include "common/core/array.h"

const char *const *shader_names(const struct bsp *bsp, struct arena *arena)
{
    const char **names = ARENA_ARRAY(arena, const char *, arrlenu(bsp->shaders));
    for (size_t i = 0; i < arrlenu(bsp->shaders); i++) {
        const char *stored = bsp->shaders[i].name;
        char *name = arena_strndup(arena, stored, strnlen(stored, SHADER_NAME));
        for (char *c = name; *c; c++)
            if ((unsigned char)*c <= ' ' || *c == '"')
                *c = '_';
            else if (*c == '\\')
                *c = '/';
        names[i] = name;
    }
    return names;
}
