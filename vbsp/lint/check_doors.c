#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/lint_entities.def"
#include "vbsp/csg/brush_make.h"
#include "vbsp/lint/checks.h"

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
