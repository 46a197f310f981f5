#include "common/assets/map_catalogue.h"

#include <string.h>

#include "common/io/fs.h"

static const char *without_ending(struct arena *arena, const char *path)
{
    const char *name = path_name(path), *dot = strrchr(name, '.');
    return dot && dot > name ? arena_strndup(arena, path, (size_t)(dot - path)) : path;
}

const char *map_catalogue_find(const struct env *env, struct arena *arena, const char *source)
{
    if (strcmp(source, "-") == 0)
        return NULL;
    const char *const places[] = {
        arena_printf(arena, "%s.materials.tsv", without_ending(arena, source)),
        arena_printf(arena, "%.*smaterials.tsv", (int)(path_name(source) - source), source),
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (env->fs->ops->kind(env->fs, places[i]) == FS_FILE)
            return places[i];
    return NULL;
}
