#include "vbsp/level/dx_level.h"

#include "common/core/array.h"

enum { LEVEL_BUMPED = 80, LEVEL_COARSE = 70 };

#define COARSE_LUXELS 4.0

struct vbsp_options dx_level_options(const struct vbsp_options *options)
{
    struct vbsp_options adjusted = *options;
    if (options->dx_level && options->dx_level < LEVEL_BUMPED)
        adjusted.bump_all = false;
    if (options->dx_level == LEVEL_COARSE && options->luxel_scale == vbsp_defaults.luxel_scale)
        adjusted.luxel_scale = COARSE_LUXELS;
    return adjusted;
}

bool dx_level_skips_cubemaps(int dx_level)
{
    return dx_level && dx_level < LEVEL_COARSE;
}

static bool is_for(const struct entity *keys, int dx_level)
{
    double min = entity_number(keys, "mindxlevel", 0);
    double max = entity_number(keys, "maxdxlevel", 0);
    if (min > 0 && dx_level < min)
        return false;
    if (max > 0 && dx_level > max)
        return false;
    return !dx_level_skips_cubemaps(dx_level) || !entity_is(keys, "env_cubemap");
}

void dx_level_filter(struct level *level, int dx_level)
{
    size_t kept = 0;
    for (size_t i = 0; i < arrlenu(level->entities) && dx_level; i++) {
        struct map_entity *entity = &level->entities[i];
        if (i > 0 && !is_for(&entity->keys, dx_level)) {
            map_entity_free(entity);
            continue;
        }
        for (size_t j = 0; j < arrlenu(entity->solids); j++)
            entity->solids[j].entity = (int)kept;
        level->entities[kept++] = *entity;
    }
    if (dx_level)
        arrsetlen(level->entities, kept);
}
