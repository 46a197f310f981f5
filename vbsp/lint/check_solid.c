#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/lights.def"
#include "common/diag/codes/lint_entities.def"
#include "vbsp/csg/brush_make.h"
#include "vbsp/level/entity_class.h"
#include "vbsp/lint/checks.h"

/* --- check doors --- */

/* The engine links a mover to the leaves within a unit of its bounds. */
#define REACH 1.0

static bool touches(const struct bounds *a, const struct bounds *b, struct vec3 shift)
{
    for (int i = 0; i < 3; i++)
        if (a->mins.e[i] > b->maxs.e[i] + shift.e[i] + REACH ||
            a->maxs.e[i] < b->mins.e[i] + shift.e[i] - REACH)
            return false;
    return true;
}

/* Movers of Quake 3 open the areaportal that they stand in. */
static bool has_mover(const struct compile *compile, const struct map_brush *portal)
{
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct compile_entity *entity = &compile->entities[i];
        const char *class = entity_value(&entity->keys, "classname");
        if (entity->model <= 0 || !str_starts_nocase(class, "func_"))
            continue;
        for (size_t j = 0; j < arrlenu(entity->brushes); j++)
            if (touches(&portal->bounds, &compile->brushes[entity->brushes[j]]->bounds,
                        entity->origin))
                return true;
    }
    return false;
}

/* In Source an areaportal may be without a door; whether it seals is known with the areas (V120).
 */
void lint_unsealed_doors(const struct lint_ctx *lint)
{
    const struct compile *compile = lint->compile;
    for (size_t i = 0; lint->rules->closes_portals && i < arrlenu(compile->brushes); i++) {
        const struct map_brush *brush = compile->brushes[i];
        if (!(brush->contents & CONTENTS_AREAPORTAL) || has_mover(compile, brush))
            continue;
        struct diag_where where = brush_where(compile, brush, NULL);
        (void)diag_report(compile->env->diag, DIAG_AREAPORTAL_NO_DOOR, &where,
                          "no door touches it, so it is always closed");
    }
}

/* --- check solid --- */

/* Units: what stands on a surface is not in it. */
#define INSIDE 0.25

static bool is_inside(const struct compile *compile, const struct map_brush *brush, struct vec3 p)
{
    for (int i = 0; i < brush->side_count; i++) {
        const struct plane *plane = &compile->planes.planes[brush->sides[i].plane];
        if (vec3_dot(plane->normal, p) - plane->dist > -INSIDE)
            return false;
    }
    return brush->side_count > 0;
}

/* Returns false when a material is missing: then the brush may be water. */
static bool is_known(const struct map_brush *brush)
{
    for (int i = 0; i < brush->side_count; i++)
        if (brush->sides[i].material && brush->sides[i].material->origin == MATERIAL_MISSING)
            return false;
    return true;
}

static const struct map_brush *find_solid(const struct compile *compile, struct vec3 p)
{
    for (size_t i = 0; i < arrlenu(compile->brushes); i++) {
        const struct map_brush *brush = compile->brushes[i];
        bool in_world = brush->entity == 0 || class_is_world(compile->entities[brush->entity].use);
        if (in_world && (brush->contents & CONTENTS_SOLID) && is_known(brush) &&
            is_inside(compile, brush, p))
            return brush;
    }
    return NULL;
}

/* Sunlight comes from everywhere. */
static bool is_light(const struct entity *keys)
{
    return entity_is(keys, "light") || entity_is(keys, "light_spot");
}

void lint_in_solid(const struct lint_ctx *lint)
{
    struct arena scratch = {0};
    for (size_t i = 1; i < arrlenu(lint->level->entities); i++) {
        const struct map_entity *entity = &lint->level->entities[i];
        bool light = is_light(&entity->keys);
        struct vec3 origin;
        if ((!light && !entity_is(&entity->keys, "env_cubemap")) ||
            !entity_vector(&entity->keys, "origin", &origin))
            continue;
        const struct map_brush *brush = find_solid(lint->compile, origin);
        if (!brush)
            continue;
        struct diag_where where = lint_where(lint, entity);
        struct diag_where solid = brush_where(lint->compile, brush, NULL);
        (void)diag_report(lint->compile->env->diag,
                          light ? DIAG_LIGHT_IN_SOLID : DIAG_CUBEMAP_IN_SOLID, &where,
                          "%s, inside solid %s", lint_entity_text(entity, &scratch),
                          diag_solid_number(&solid).text);
    }
    arena_free(&scratch);
}
