/* Any bytes as a MAP: no crash, and the result can be traversed. */
#include <math.h>
#include <stdint.h>

#include "common/core/array.h"
#include "vbsp/level/adapt/adapt.h"
#include "vbsp/level/level.h"
#include "vbsp/level/plane_points.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_axis(const struct map_texture_axis *axis)
{
    if (!vec3_is_finite(axis->axis) || !isfinite(axis->shift) || !(fabs(axis->scale) > 0))
        __builtin_trap();
}

static void check_side(const struct map_side *side)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (!(fabs(side->points[i].e[j]) <= 2 * MAP_PLANE_LIMIT))
                __builtin_trap();
    if (!side->material || !*side->material)
        __builtin_trap();
    check_axis(&side->u);
    check_axis(&side->v);
}

static void check_patch(const struct map_patch *patch)
{
    if (patch->columns % 2 == 0 || patch->rows % 2 == 0 || patch->columns < 3 || patch->rows < 3)
        __builtin_trap();
    for (int i = 0; i < patch->columns * patch->rows; i++)
        if (!vec3_is_finite(patch->points[i].p) || !isfinite(patch->points[i].texture[0]))
            __builtin_trap();
}

static void check_map(const struct level *map)
{
    if (!map->entities || !entity_is(&map->entities[0].keys, "worldspawn"))
        __builtin_trap();
    for (size_t i = 0; i < arrlenu(map->entities); i++) {
        const struct map_entity *entity = &map->entities[i];
        if (!*entity_value(&entity->keys, "classname"))
            __builtin_trap();
        for (size_t j = 0; j < arrlenu(entity->solids); j++) {
            if (arrlen(entity->solids[j].sides) < 4 || entity->solids[j].entity != (int)i)
                __builtin_trap();
            for (size_t k = 0; k < arrlenu(entity->solids[j].sides); k++)
                check_side(&entity->solids[j].sides[k]);
        }
        for (size_t j = 0; j < arrlenu(entity->patches); j++)
            check_patch(&entity->patches[j]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct level map;
    if (map_parse((const char *)data, size, "fuzz", diag, &map) == STATUS_OK) {
        check_map(&map);
        adapt_to_source(&map, diag);
        check_map(&map);
        level_free(&map);
    } else if (diag_count(diag, DIAG_ERROR) == 0) {
        __builtin_trap(); /* failed without a report */
    }
    diag_free(diag);
    return 0;
}
