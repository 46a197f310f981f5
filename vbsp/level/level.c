#include "vbsp/level/level.h"

#include <string.h>

#include "common/core/array.h"
#include "common/geom/winding.h"

/* The id in the original file. */
static int original_id(int id, int shift)
{
    return id > shift ? id - shift : id;
}

struct diag_where map_where(const struct level *level, const struct map_entity *entity,
                            const struct map_solid *solid, const struct map_side *side)
{
    static const struct map_part own = {0};
    const struct map_part *part = solid ? solid->part : entity ? entity->part : NULL;
    struct diag_where where = {.file = part ? part->file : level->file,
                               .placed_by = part ? part->placed_by : NULL};
    bool moved_to_world =
        entity && part != entity->part; /* solids of an instance are moved to the world */
    if (!part && level->counted_ids) {
        where.counted = true;
        where.entity_id = where.solid_id = where.side_id = -1;
    }
    if (!part)
        part = &own;
    if (entity && !moved_to_world) {
        where.entity_id = original_id(entity->id, part->entity_shift);
        where.line = entity->line;
    }
    if (solid) {
        where.solid_id = original_id(solid->id, part->solid_shift);
        where.line = solid->line;
    }
    if (side) {
        where.side_id = original_id(side->id, part->side_shift);
        where.line = side->line;
    }
    return where;
}

const char *level_name(struct arena *arena, const char *file)
{
    const char *name = file;
    for (const char *p = file; *p; p++)
        if (*p == '/' || *p == '\\')
            name = p + 1;
    const char *dot = strrchr(name, '.');
    return arena_strndup(arena, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

struct bounds map_solid_bounds(const struct map_solid *solid)
{
    struct arena scratch = {0};
    struct plane *planes = NULL;
    struct bounds bounds = bounds_empty();
    for (size_t i = 0; i < arrlenu(solid->sides); i++) {
        const struct vec3 *points = solid->sides[i].points;
        struct plane plane;
        if (plane_from_points(points[0], points[1], points[2], &plane))
            arrput(planes, plane);
    }
    for (size_t i = 0; i < arrlenu(planes); i++) {
        const struct winding *winding =
            winding_of_side(&scratch, planes, arrlenu(planes), i, EPSILON_BRUSH_CLIP);
        if (!winding)
            continue;
        struct bounds side = winding_bounds(winding);
        bounds_add(&bounds, &side);
    }
    arrfree(planes);
    arena_free(&scratch);
    return bounds;
}

void map_entity_free(struct map_entity *entity)
{
    for (size_t i = 0; i < arrlenu(entity->solids); i++)
        arrfree(entity->solids[i].sides);
    arrfree(entity->solids);
    arrfree(entity->patches);
    arrfree(entity->keys.pairs);
}

void level_free(struct level *level)
{
    for (size_t i = 0; i < arrlenu(level->entities); i++)
        map_entity_free(&level->entities[i]);
    arrfree(level->entities);
    arrfree(level->cordons);
    for (size_t i = 0; i < arrlenu(level->parts); i++) {
        level_free(level->parts[i]);
        memory_free(level->parts[i]);
    }
    arrfree(level->parts);
    arena_free(&level->arena);
}
