/* Any bytes as a map and, after a NUL, the file of its instances; as a manifest too. */
#include <stdint.h>

#include "common/core/array.h"
#include "vbsp/level/instances/instance.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_map(const struct level *map)
{
    for (size_t i = 0; i < arrlenu(map->entities); i++) {
        const struct map_entity *entity = &map->entities[i];
        for (size_t j = 0; j < arrlenu(entity->solids); j++) {
            const struct map_solid *solid = &entity->solids[j];
            if (solid->entity != (int)i || arrlen(solid->sides) < 4)
                __builtin_trap();
            for (size_t k = 0; k < arrlenu(solid->sides); k++)
                if (!vec3_is_finite(solid->sides[k].points[1]) ||
                    !map_where(map, entity, solid, &solid->sides[k]).file)
                    __builtin_trap();
        }
    }
}

static void check_source(const struct env *env, const struct level *level)
{
    struct assets *assets;
    struct level whole;
    if (assets_open(env, &(struct assets_options){0}, &assets) != STATUS_OK)
        __builtin_trap();
    if (level_complete(env, assets, level, DIAG_ERROR, &whole) == STATUS_OK) {
        check_map(&whole);
        level_free(&whole);
    } else if (diag_count(env->diag, DIAG_ERROR) == 0) {
        __builtin_trap(); /* failed without a report */
    }
    assets_free(assets);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;
    size_t first = end ? (size_t)(end - data) : size;
    struct fs *fs = fs_memory_new();
    struct env env = {.diag = diag_new(NULL, NULL), .fs = fs, .threads = 1};
    if (end)
        fs->ops->write(fs, "maps/a.vmf", end + 1, size - first - 1);
    struct level level;
    if (vmf_parse((const char *)data, first, "maps/main.vmf", env.diag, &level) == STATUS_OK) {
        check_source(&env, &level);
        level_free(&level);
    }
    if (manifest_parse(&env, (const char *)data, first, "maps/main.vmm", false, &level) ==
        STATUS_OK) {
        check_source(&env, &level);
        level_free(&level);
    }
    diag_free(env.diag);
    fs_memory_free(fs);
    return 0;
}
