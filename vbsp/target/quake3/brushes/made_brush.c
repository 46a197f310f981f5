/* Brushes that are not in the source: clip brushes of models, the volume of global fog. */
#include "common/core/array.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/level/map_texture.h"
#include "vbsp/level/plane_points.h"
#include "vbsp/target/quake3/brushes/brushes.h"

/* Solid, so that the shader of the first side decides what the brush is. */
#define NO_SIDE "textures/common/caulk"

static struct map_solid *make_solid(struct compile *compile, int entity, int line,
                                    const struct shader *shader, const struct plane *planes)
{
    struct map_solid *solid = ARENA_NEW(&compile->arena, struct map_solid);
    solid->entity = entity;
    solid->line = line;
    for (size_t i = 0; i < arrlenu(planes); i++) {
        struct map_side side = {
            .material = i ? NO_SIDE : shader->name, .line = line, .contents = Q3_CONTENTS_DETAIL};
        map_axes_default(planes[i].normal, &side);
        side.u.scale = side.v.scale = 1;
        plane_points_of(&planes[i], side.points);
        arrput(solid->sides, side);
    }
    arrput(quake3_of(compile)->made, solid);
    return solid;
}

struct map_brush *quake3_make_brush(struct compile *compile, const struct diag_where *where,
                                    int entity, const struct shader *shader,
                                    const struct plane *planes)
{
    const struct brush_rules rules = {.in_world = true};
    struct map_brush *brush = brush_make(
        compile, entity, make_solid(compile, entity, where->line, shader, planes), rules.origin);
    if (!brush)
        return NULL;
    quake3_contents(compile, brush, &rules);
    if (brush_is_clip(brush))
        brush_leave_tree(brush);
    brush_finish(compile, brush);
    for (int i = 0; i < brush->side_count; i++)
        brush->sides[i].map_side = NULL;
    return brush;
}

void quake3_made_free(struct quake3 *quake3)
{
    for (size_t i = 0; i < arrlenu(quake3->made); i++)
        arrfree(quake3->made[i]->sides);
    arrfree(quake3->made);
}
