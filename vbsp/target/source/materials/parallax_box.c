#include "vbsp/target/source/materials/parallax_box.h"

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/overlays.def"

#define SAME_DIRECTION 1e-6

static const struct compile_entity *find_entity(const struct compile *compile, const char *name)
{
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct compile_entity *entity = &compile->entities[i];
        if (entity->use == USE_PARALLAX_BOX &&
            str_equal_nocase(entity_value(&entity->keys, "targetname"), name))
            return entity;
    }
    return NULL;
}

static const struct plane *plane_of(const struct compile *compile, const struct brush_side *side)
{
    return &compile->planes.planes[side->plane];
}

/* The side that is opposite to another one, or NULL. */
static const struct brush_side *opposite(const struct compile *compile,
                                         const struct map_brush *brush, const struct plane *plane)
{
    for (int i = 0; i < brush->side_count; i++)
        if (!brush->sides[i].bevel && vec3_dot(plane_of(compile, &brush->sides[i])->normal,
                                               plane->normal) < SAME_DIRECTION - 1)
            return &brush->sides[i];
    return NULL;
}

static bool add_row(const struct compile *compile, const struct map_brush *brush,
                    const struct plane *high, double row[4])
{
    const struct brush_side *low = opposite(compile, brush, high);
    double width = low ? high->dist + plane_of(compile, low)->dist : 0;
    if (!(width > 0))
        return false;
    for (int k = 0; k < 3; k++)
        row[k] = high->normal.e[k] / width + 0.0; /* no -0 */
    row[3] = plane_of(compile, low)->dist / width + 0.0;
    return true;
}

/* Three pairs of parallel sides make a box; its axes are in the order of those that they are
 * nearest to, and point along them. */
static struct parallax_box box_of(const struct compile *compile, const struct map_brush *brush)
{
    struct parallax_box box = {0};
    int rows = 0, sides = 0;
    for (int i = 0; i < brush->side_count; i++)
        sides += !brush->sides[i].bevel;
    for (int i = 0; i < 3 * brush->side_count && sides == 6; i++) {
        const struct brush_side *side = &brush->sides[i % brush->side_count];
        const struct plane *plane = plane_of(compile, side);
        int axis = vec3_major_axis(plane->normal);
        if (side->bevel || axis != i / brush->side_count || plane->normal.e[axis] < 0)
            continue;
        if (rows == 3 || !add_row(compile, brush, plane, box.rows[rows++]))
            return (struct parallax_box){0};
    }
    box.present = rows == 3;
    return box;
}

static struct parallax_box find_box(struct compile *compile, const struct compile_entity *cubemap)
{
    const char *name = entity_value(&cubemap->keys, "cubemapbounds"), *wrong = NULL;
    struct parallax_box box = {0};
    if (!*name)
        return box;
    const struct compile_entity *entity = find_entity(compile, name);
    if (!entity)
        wrong = "no parallax_obb has this name";
    else if (arrlen(entity->brushes) == 1)
        box = box_of(compile, compile->brushes[entity->brushes[0]]);
    if (entity && !box.present)
        wrong = "its parallax_obb is not one brush of six sides, each parallel to another";
    struct diag_where where = map_where(compile->level, cubemap->map_entity, NULL, NULL);
    if (wrong)
        diag_report(compile->env->diag, DIAG_CUBEMAP_BOX, &where, "cubemapbounds \"%s\": %s", name,
                    wrong);
    return box;
}

struct parallax_box *parallax_boxes_find(struct compile *compile)
{
    struct parallax_box *boxes = NULL;
    for (size_t i = 0; i < arrlenu(compile->entities); i++)
        if (compile->entities[i].use == USE_CUBEMAP)
            arrput(boxes, find_box(compile, &compile->entities[i]));
    return boxes;
}
