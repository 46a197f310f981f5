#include "vbsp/level/dx_level.h"

#include "common/core/array.h"

enum { LEVEL_BUMPED = 80, LEVEL_COARSE = 70 };

#define COARSE_LUXELS 4.0

struct vbsp_options dx_level_options(const struct vbsp_options *options)
{
    struct vbsp_options bent = *options;
    if (options->dx_level && options->dx_level < LEVEL_BUMPED)
        bent.bump_all = false;
    if (options->dx_level == LEVEL_COARSE && options->luxel_scale == vbsp_defaults.luxel_scale)
        bent.luxel_scale = COARSE_LUXELS;
    return bent;
}

bool dx_level_skips_cubemaps(int level)
{
    return level && level < LEVEL_COARSE;
}

static bool is_for(const struct entity *keys, int level)
{
    double min = entity_number(keys, "mindxlevel", 0);
    double max = entity_number(keys, "maxdxlevel", 0);
    if (min > 0 && level < min)
        return false;
    if (max > 0 && level > max)
        return false;
    return !dx_level_skips_cubemaps(level) || !entity_is(keys, "env_cubemap");
}

void dx_level_filter(struct map_source *source, int level)
{
    size_t kept = 0;
    for (size_t i = 0; i < arrlenu(source->entities) && level; i++) {
        struct map_entity *entity = &source->entities[i];
        if (i > 0 && !is_for(&entity->keys, level)) {
            map_entity_free(entity);
            continue;
        }
        for (size_t j = 0; j < arrlenu(entity->solids); j++)
            entity->solids[j].entity = (int)kept;
        source->entities[kept++] = *entity;
    }
    if (level)
        arrsetlen(source->entities, kept);
}
