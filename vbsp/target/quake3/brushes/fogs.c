/* Fog volumes: brushes whose shader has fogparms. Surfaces inside refer to the volume, so faces are
 * cut at its border. */
#include <string.h>

#include "common/core/array.h"
#include "common/diag/codes/quake3_levels.def"
#include "common/geom/epsilon.h"
#include "vbsp/target/quake3/brushes/brushes.h"

/* A fog volume; its index is that of its effect. */
struct fog {
    const struct map_brush *brush;
    const struct shader *shader;
};

enum { BOX_SIDES = 6, TOP_SIDE = 5 };

/* --- volumes --- */

static struct plane *box_planes(const struct bounds *bounds)
{
    struct plane *planes = NULL;
    for (int i = 0; i < BOX_SIDES; i++) {
        int side = TOP_SIDE - i, axis = side / 2; /* the top has the shader */
        struct plane plane = {.normal = vec3(0, 0, 0)};
        plane.normal.e[axis] = side % 2 ? 1 : -1;
        plane.dist = side % 2 ? bounds->maxs.e[axis] : -bounds->mins.e[axis];
        arrput(planes, plane);
    }
    return planes;
}

/* All that is visible is within the brushes of the world, and a larger volume would enlarge its
 * model and the light grid. */
static struct bounds world_bounds(const struct compile *compile, struct map_brush ***made)
{
    struct bounds bounds = bounds_empty();
    for (size_t i = 0; i < arrlenu(made); i++)
        for (size_t j = 0; j < arrlenu(made[i]); j++)
            if (i == 0 || class_is_world(compile->entities[i].use))
                bounds_add(&bounds, &made[i][j]->bounds);
    return bounds;
}

void quake3_add_global_fog(struct compile *compile, struct map_brush ***made)
{
    const struct compile_entity *world = &compile->entities[0];
    const char *name = entity_value(&world->keys, "_fog");
    name = *name ? name : entity_value(&world->keys, "fog");
    struct bounds bounds = world_bounds(compile, made);
    if (!*name || compile->options->no_fog || bounds_is_empty(&bounds))
        return;
    struct diag_where where = map_where(compile->level, world->map_entity, NULL, NULL);
    const struct shader *shader = assets_shader(compile->assets, name);
    if (!(shader->compile_flags & SHADER_FOG_PARMS) || !(shader->contents & Q3_CONTENTS_FOG)) {
        (void)diag_report(compile->env->diag, DIAG_Q3_GLOBAL_FOG, &where,
                          "the key _fog names \"%s\"", name);
        return;
    }
    struct plane *planes = box_planes(&bounds);
    struct map_brush *brush = quake3_make_brush(compile, &where, 0, shader, planes);
    arrfree(planes);
    if (!brush)
        return;
    brush->contents = CONTENTS_DETAIL; /* like clips: it splits nothing */
    for (int i = 0; i < brush->side_count; i++)
        brush->sides[i].contents = brush->contents;
    brush_leave_tree(brush);
    quake3_of(compile)->global_fog = brush;
    arrput(made[0], brush);
}

/* Global fog is where no other is. */
void quake3_find_fogs(struct compile *compile)
{
    struct quake3 *quake3 = quake3_of(compile);
    const int *brushes = compile->entities[0].brushes;
    for (size_t i = 0; i < arrlenu(brushes); i++) {
        const struct map_brush *brush = compile->brushes[brushes[i]];
        const struct shader *shader = quake3_brush_shader(compile, brush)->shader;
        struct fog fog = {.brush = brush, .shader = shader};
        if (brush != quake3->global_fog && (shader->compile_flags & SHADER_FOG_PARMS))
            arrput(quake3->fogs, fog);
    }
    if (!quake3->global_fog)
        return;
    const struct map_brush *brush = quake3->global_fog;
    struct fog fog = {.brush = brush, .shader = quake3_brush_shader(compile, brush)->shader};
    arrput(quake3->fogs, fog);
}

/* --- surfaces in them --- */

static bool bounds_overlap(const struct bounds *a, const struct bounds *b)
{
    return bounds_touch(a, b, EPSILON_SPLIT);
}

struct cutter {
    const struct compile *compile;
    struct arena *arena;
    const struct plane *plane; /* of the polygon */
    fog_visit *visit;
    void *context;
};

/* Passes on the parts outside of the fog volumes from `next` on; the rest, or NULL, is inside. A
 * polygon on a side of the volume is inside if it faces into it. */
static const struct winding *cut_outside(struct cutter *cutter, const struct winding *winding,
                                         const struct map_brush *brush, struct winding **outside,
                                         int *count)
{
    const struct plane *planes = cutter->compile->planes.planes;
    *count = 0;
    for (int i = 0; i < brush->side_count && winding; i++) {
        if (brush->sides[i].bevel)
            continue;
        const struct plane *side = &planes[brush->sides[i].plane];
        struct winding *front, *back;
        winding_clip(cutter->arena, winding, side, EPSILON_SPLIT, &front, &back);
        if (!front && !back) {
            if (vec3_dot(side->normal, cutter->plane->normal) > 0)
                return NULL;
            continue;
        }
        if (front && !winding_is_tiny(front))
            outside[(*count)++] = front;
        winding = back && !winding_is_tiny(back) ? back : NULL;
    }
    return winding;
}

static void cut(struct cutter *cutter, const struct winding *winding, int next)
{
    const struct fog *fogs = quake3_of(cutter->compile)->fogs;
    struct bounds bounds = winding_bounds(winding);
    for (; next < (int)arrlen(fogs); next++) {
        const struct map_brush *brush = fogs[next].brush;
        if (!bounds_overlap(&bounds, &brush->bounds))
            continue;
        struct winding **outside =
            ARENA_ARRAY(cutter->arena, struct winding *, (size_t)brush->side_count);
        int count;
        const struct winding *inside = cut_outside(cutter, winding, brush, outside, &count);
        if (!inside)
            continue;
        for (int i = 0; i < count; i++)
            cut(cutter, outside[i], next + 1);
        cutter->visit(cutter->context, inside, next);
        return;
    }
    cutter->visit(cutter->context, winding, -1);
}

void quake3_cut_by_fogs(const struct compile *compile, struct arena *arena,
                        const struct winding *winding, const struct plane *plane, fog_visit *visit,
                        void *context)
{
    struct cutter cutter = {compile, arena, plane, visit, context};
    cut(&cutter, winding, 0);
}

int quake3_fog_of_bounds(const struct compile *compile, const struct bounds *bounds)
{
    const struct fog *fogs = quake3_of(compile)->fogs;
    struct vec3 middle = bounds_center(bounds);
    for (int i = 0; i < (int)arrlen(fogs); i++) {
        const struct map_brush *brush = fogs[i].brush;
        bool inside = true;
        for (int j = 0; j < brush->side_count && inside; j++)
            inside = plane_distance(&compile->planes.planes[brush->sides[j].plane], middle) <
                     EPSILON_SPLIT;
        if (inside)
            return i;
    }
    return -1;
}

/* --- records --- */

/* The side from which the engine measures depth. */
static int visible_side(const struct compile *compile, const struct fog *fog)
{
    const struct brush_side *sides = fog->brush->sides;
    struct vec3 direction = fog->shader->fog_direction;
    int best = -1;
    if (vec3_length(direction) > 0) {
        double max = 0;
        for (int i = 0; i < fog->brush->side_count; i++) {
            double against = -vec3_dot(compile->planes.planes[sides[i].plane].normal, direction);
            if (!sides[i].bevel && against > max) {
                max = against;
                best = i;
            }
        }
        return best;
    }
    for (int i = 0; i < BOX_SIDES && i < fog->brush->side_count; i++)
        if (sides[i].visible && !sides[i].bevel &&
            !(quake3_shader(compile, &sides[i])->surface_flags & Q3_SURFACE_NODRAW))
            best = i;
    return best;
}

void quake3_emit_fogs(struct compile *compile)
{
    const struct fog *fogs = quake3_of(compile)->fogs;
    for (size_t i = 0; i < arrlenu(fogs); i++) {
        struct bsp_effect effect = {.brush = fogs[i].brush->number,
                                    .side = visible_side(compile, &fogs[i])};
        strncpy(effect.name, fogs[i].shader->name, sizeof effect.name - 1);
        arrput(compile->bsp->effects, effect);
    }
}
