#include "vbsp/level/adapt/adapt.h"

#include "common/assets/shaders/shader.h"
#include "common/core/array.h"
#include "common/diag/codes/quake3_levels.def"

/* Displacements replace their solid; a solid without a valid one is kept. */
static bool replace_by_patches(struct level *map, struct map_entity *entity,
                               const struct map_solid *solid)
{
    size_t before = arrlenu(entity->patches);
    for (size_t i = 0; i < arrlenu(solid->sides); i++)
        if (solid->sides[i].displacement)
            (void)displacement_patches(map, solid, &solid->sides[i], &entity->patches);
    return arrlenu(entity->patches) > before;
}

/* Returns the number of displacements removed. */
static size_t convert_solid(struct level *map, struct map_solid *solid, bool detail)
{
    size_t displacements = 0;
    for (size_t i = 0; i < arrlenu(solid->sides); i++) {
        struct map_side *side = &solid->sides[i];
        side->material = arena_printf(&map->arena, "textures/%s", side->material);
        side->contents = detail ? Q3_CONTENTS_DETAIL : 0;
        side->flags = 0;
        displacements += side->displacement != NULL;
    }
    return displacements;
}

void adapt_to_quake3(struct level *map, struct diag *diag)
{
    size_t displacements = 0;
    if (map->counted_ids) {
        adapt_quake3_clones(map, diag);
        return;
    }
    for (size_t i = 0; i < arrlenu(map->entities); i++) {
        struct map_entity *entity = &map->entities[i];
        bool detail = entity_is(&entity->keys, "func_detail");
        bool joins = detail || entity_is(&entity->keys, "func_areaportal") ||
                     entity_is(&entity->keys, "func_areaportalwindow");
        size_t kept = 0;
        for (size_t j = 0; j < arrlenu(entity->solids); j++) {
            struct map_solid solid = entity->solids[j];
            size_t curved = convert_solid(map, &solid, detail);
            if (curved && replace_by_patches(map, entity, &solid)) {
                arrfree(solid.sides);
                continue;
            }
            displacements += curved;
            for (size_t k = 0; k < arrlenu(solid.sides); k++)
                solid.sides[k].displacement = NULL;
            entity->solids[kept++] = solid;
        }
        arrsetlen(entity->solids, kept);
        if (joins)
            entity_set(&entity->keys, &map->arena, "classname", "func_group");
    }
    adapt_quake3_clones(map, diag);
    adapt_quake3_lights(map);
    adapt_quake3_spawns(map);
    if (displacements)
        (void)diag_report(diag, DIAG_Q3_DISPLACEMENTS, &(struct diag_where){.file = map->file},
                          "%zu displacement%s flat", displacements,
                          displacements == 1 ? " stays" : "s stay");
}
