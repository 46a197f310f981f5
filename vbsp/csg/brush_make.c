#include "vbsp/csg/brush_make.h"

#include <string.h>

#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/diag/codes/level_solids.def"
#include "common/diag/codes/sides.def"
#include "common/diag/codes/solids.def"
#include "common/geom/epsilon.h"
#include "vbsp/csg/brush_options.h"
#include "vbsp/level/map_texture.h"
#include "vbsp/level/material_replacements.h"

const struct brush_options brush_defaults = {
    .light_if_missing = true, .default_luxel_size = 16, .micro_volume = 1};

/* Bevels: planes that touch a brush from outside, so that a box that slides along it does not catch
 * on its edges (boxes are traced against brushes by their planes alone). */

/* A plane along an edge is no bevel if points of the brush lie farther in front of it than this:
 * the brush continues there. Points closer to it come from edges off the grid; the bevel is moved
 * out to them. */
#define BEVEL_EPSILON 0.1
/* The plane set may return a plane this much deeper, because it snaps and merges planes. */
#define SNAP_EPSILON (2 * EPSILON_PLANE_DIST)
/* A bevel within these tolerances of an existing side is redundant. */
#define SAME_EPSILON 0.01
/* Edges shorter than this have no reliable direction, nor does an edge along the axis. */
#define MIN_LENGTH 0.5

struct beveler {
    struct plane_set *planes;
    struct brush_side *sides; /* stb_ds array */
    struct bounds bounds;
    int contents;
};

static struct brush_side bevel_side(const struct beveler *beveler, int plane)
{
    /* Records must name a texinfo; the tools take that of the first side. */
    const struct brush_side *first = &beveler->sides[0];
    return (struct brush_side){.plane = plane,
                               .texinfo = first->texinfo,
                               .record_texinfo = first->record_texinfo,
                               .contents = beveler->contents,
                               .flags = first->flags,
                               .material = first->material,
                               .bevel = true};
}

static ptrdiff_t find_axial(const struct beveler *beveler, int axis, int sign)
{
    for (ptrdiff_t i = 0; i < arrlen(beveler->sides); i++) {
        int plane = beveler->sides[i].plane;
        if (beveler->planes->planes[plane].normal.e[axis] == sign)
            return i;
    }
    return -1;
}

static void add_axial(struct beveler *beveler)
{
    for (int slot = 0; slot < 6; slot++) {
        int axis = slot / 2, sign = slot % 2 ? 1 : -1;
        ptrdiff_t at = find_axial(beveler, axis, sign);
        if (at < 0) {
            struct vec3 normal = vec3(0, 0, 0);
            normal.e[axis] = sign;
            double dist = sign > 0 ? beveler->bounds.maxs.e[axis] : -beveler->bounds.mins.e[axis];
            struct brush_side bevel =
                bevel_side(beveler, plane_set_find(beveler->planes, normal, dist));
            at = arrlen(beveler->sides);
            arrput(beveler->sides, bevel);
        }
        struct brush_side moved = beveler->sides[slot];
        beveler->sides[slot] = beveler->sides[at];
        beveler->sides[at] = moved;
    }
}

/* Distance that the brush extends in front of the plane, negative if it stays behind. Any result
 * above BEVEL_EPSILON only means "too far". */
static double reach_beyond(const struct beveler *beveler, const struct plane *plane)
{
    double reach = -(double)INFINITY;
    for (size_t i = 0; i < arrlenu(beveler->sides) && reach <= BEVEL_EPSILON; i++) {
        const struct winding *winding = beveler->sides[i].winding;
        for (int j = 0; winding && j < winding->count; j++)
            reach = portable_fmax(reach, plane_distance(plane, winding->points[j]));
    }
    return reach;
}

/* The set snaps planes near an axis by rotating them about the origin, not about the brush, so that
 * they would cut it. The axial sides exist anyway. */
static bool is_near_axis(struct vec3 normal)
{
    for (int i = 0; i < 3; i++)
        if (fabs(normal.e[i]) > 1 - EPSILON_PLANE_NORMAL)
            return true;
    return false;
}

static bool is_known(const struct beveler *beveler, const struct plane *plane)
{
    if (is_near_axis(plane->normal))
        return true;
    for (size_t i = 0; i < arrlenu(beveler->sides); i++) {
        const struct plane *other = &beveler->planes->planes[beveler->sides[i].plane];
        struct vec3 turn = vec3_sub(other->normal, plane->normal);
        if (fabs(turn.x) < SAME_EPSILON && fabs(turn.y) < SAME_EPSILON &&
            fabs(turn.z) < SAME_EPSILON && fabs(other->dist - plane->dist) < SAME_EPSILON)
            return true;
    }
    return false;
}

static void add_bevel(struct beveler *beveler, struct plane plane)
{
    if (is_known(beveler, &plane))
        return;
    double reach = reach_beyond(beveler, &plane);
    if (reach > BEVEL_EPSILON)
        return;
    plane.dist += portable_fmax(reach, 0);
    int number = plane_set_find(beveler->planes, plane.normal, plane.dist);
    if (reach_beyond(beveler, &beveler->planes->planes[number]) > SNAP_EPSILON)
        return;
    struct brush_side bevel = bevel_side(beveler, number);
    arrput(beveler->sides, bevel);
}

/* Tries the planes through an edge that are parallel to an axis. */
static void bevel_edge(struct beveler *beveler, struct vec3 from, struct vec3 to)
{
    struct vec3 edge = vec3_sub(from, to);
    if (vec3_length(edge) < MIN_LENGTH)
        return;
    edge = vec3_normalize(edge);
    for (int i = 0; i < 3; i++)
        if (fabs(fabs(edge.e[i]) - 1) < 1e-5)
            return;
    for (int i = 0; i < 6; i++) {
        struct vec3 axis = vec3(0, 0, 0);
        axis.e[i / 2] = i % 2 ? 1 : -1;
        struct vec3 normal = vec3_cross(edge, axis);
        if (vec3_length(normal) < MIN_LENGTH)
            continue;
        struct plane plane = {.normal = vec3_normalize(normal)};
        plane.dist = vec3_dot(plane.normal, from);
        add_bevel(beveler, plane);
    }
}

static void add_along_edges(struct beveler *beveler)
{
    size_t count = arrlenu(beveler->sides);
    for (size_t i = 6; i < count; i++) {
        const struct winding *winding = beveler->sides[i].winding;
        for (int j = 0; winding && j < winding->count; j++)
            bevel_edge(beveler, winding->points[j], winding->points[(j + 1) % winding->count]);
    }
}

/* Puts the axial sides first, in the order -x +x -y +y -z +z, adding missing ones as bevels;
 * brushes that are not boxes get bevels along their slanted edges too. Replaces brush->sides with
 * an array in the arena. The sides must have windings, contents and texinfo. */
static void brush_add_bevels(struct arena *arena, struct plane_set *planes, struct map_brush *brush)
{
    struct beveler beveler = {
        .planes = planes, .bounds = brush->bounds, .contents = brush->contents};
    for (int i = 0; i < brush->side_count; i++)
        arrput(beveler.sides, brush->sides[i]);
    add_axial(&beveler);
    if (arrlen(beveler.sides) > 6)
        add_along_edges(&beveler);
    brush->side_count = (int)arrlen(beveler.sides);
    brush->sides = ARENA_ARRAY(arena, struct brush_side, arrlenu(beveler.sides));
    memcpy(brush->sides, beveler.sides, arrlenu(beveler.sides) * sizeof *brush->sides);
    arrfree(beveler.sides);
}

/* --- brush make --- */

#define DEFAULT_TEXTURE_SCALE 0.25

bool solid_has_displacement(const struct map_solid *solid)
{
    for (size_t i = 0; i < arrlenu(solid->sides); i++)
        if (solid->sides[i].displacement)
            return true;
    return false;
}

bool solid_is_origin(struct compile *compile, const struct map_solid *solid)
{
    for (size_t i = 0; i < arrlenu(solid->sides); i++) {
        const struct map_side *side = &solid->sides[i];
        if ((material_replacements_find(compile, side->material)->contents | side->contents) &
            CONTENTS_ORIGIN)
            return true;
    }
    return false;
}

struct diag_where brush_where(const struct compile *compile, const struct map_brush *brush,
                              const struct brush_side *side)
{
    struct diag_where where = map_where(compile->level, &compile->level->entities[brush->entity],
                                        brush->solid, side ? side->map_side : NULL);
    const struct compile_entity *entity = &compile->entities[brush->entity];
    bool moves = brush->entity > 0 && class_is_model(entity->use);
    struct vec3 origin = moves ? entity->origin : vec3(0, 0, 0);
    struct vec3 point = bounds_center(&brush->bounds);
    if (side && side->winding)
        point = winding_center(side->winding);
    else if (bounds_is_empty(&brush->bounds))
        return where;
    point = vec3_add(point, origin);
    where.has_point = true;
    memcpy(where.point, point.e, sizeof where.point);
    return where;
}

static struct diag_where at_point(struct diag_where where, struct vec3 point)
{
    where.has_point = true;
    memcpy(where.point, point.e, sizeof where.point);
    return where;
}

static struct diag_where solid_where(const struct compile *compile, const struct map_brush *brush)
{
    return at_point(brush_where(compile, brush, NULL), brush->solid->sides[0].points[0]);
}

/* True (and reported) if an earlier side of the brush lies on the plane or on its back. */
static bool plane_is_taken(const struct compile *compile, const struct map_brush *brush, int plane,
                           const struct map_side *map_side)
{
    for (int i = 0; i < brush->side_count; i++) {
        const struct brush_side *side = &brush->sides[i];
        if ((side->plane ^ plane) > 1)
            continue;
        struct diag_where where = map_where(
            compile->level, &compile->level->entities[brush->entity], brush->solid, map_side);
        where = at_point(where, map_side->points[0]);
        diag_report(compile->env->diag, DIAG_BRUSH_PLANE_TWICE, &where,
                    "same plane as side %d%s; the side is dropped",
                    brush_where(compile, brush, side).side_id,
                    side->plane == plane ? "" : ", facing the opposite way");
        return true;
    }
    return false;
}

/* Looks up the plane as drawn and then moves it: both steps snap, so that coinciding faces of a
 * model and of the world snap alike. A side that an instance has turned lies where rounding left
 * it, so that its distance is snapped whatever its slope. */
static int side_plane(struct compile *compile, const struct map_solid *solid,
                      const struct map_side *map_side, struct vec3 origin)
{
    int plane = solid->turned ? plane_set_from_turned_points(&compile->planes, map_side->points)
                              : plane_set_from_points(&compile->planes, map_side->points);
    return plane < 0 ? plane : plane_set_moved(&compile->planes, plane, vec3_scale(origin, -1));
}

static void add_planes(struct compile *compile, struct map_brush *brush, struct vec3 origin)
{
    const struct map_solid *solid = brush->solid;
    for (size_t i = 0; i < arrlenu(solid->sides); i++) {
        const struct map_side *map_side = &solid->sides[i];
        int plane = side_plane(compile, solid, map_side, origin);
        if (plane < 0) {
            struct diag_where where = map_where(
                compile->level, &compile->level->entities[brush->entity], solid, map_side);
            where = at_point(where, map_side->points[0]);
            diag_report(compile->env->diag, DIAG_SIDE_PLANE, &where,
                        "the three points of the side are collinear; the side is dropped");
            continue;
        }
        if (plane_is_taken(compile, brush, plane, map_side))
            continue;
        struct brush_side *side = &brush->sides[brush->side_count++];
        *side = (struct brush_side){.plane = plane,
                                    .texinfo = TEXINFO_NODE,
                                    .record_texinfo = TEXINFO_NODE,
                                    .map_side = map_side};
    }
}

static struct winding *side_winding(struct arena *arena, const struct plane *planes,
                                    const struct map_brush *brush, int index)
{
    struct winding *winding = winding_from_plane(arena, &planes[brush->sides[index].plane]);
    for (int i = 0; i < brush->side_count && winding; i++)
        if (i != index && !brush->sides[i].bevel)
            winding = winding_clip_behind(arena, winding, &planes[brush->sides[i].plane],
                                          EPSILON_BRUSH_CLIP);
    return winding;
}

int brush_add_windings(struct compile *compile, struct map_brush *brush)
{
    int count = 0;
    brush->bounds = bounds_empty();
    for (int i = 0; i < brush->side_count; i++) {
        brush->sides[i].winding = NULL;
        if (brush->sides[i].bevel)
            continue;
        struct arena_mark mark = arena_mark(&compile->arena);
        struct winding *winding = side_winding(&compile->arena, compile->planes.planes, brush, i);
        winding = winding_keep(&compile->arena, mark, winding);
        if (winding) {
            struct bounds bounds = winding_bounds(winding);
            bounds_add(&brush->bounds, &bounds);
            brush->sides[i].winding = winding;
            brush->sides[i].visible = true;
            count++;
        }
    }
    return count;
}

static bool is_huge(const struct compile *compile, const struct map_brush *brush)
{
    double limit = plane_set_limit(&compile->planes);
    for (int i = 0; i < brush->side_count; i++) {
        const struct winding *winding = brush->sides[i].winding;
        const struct plane *plane = &compile->planes.planes[brush->sides[i].plane];
        if (winding && (winding_is_beyond(winding, limit) || winding_is_cut_short(winding, plane)))
            return true;
    }
    return false;
}

double map_brush_volume(const struct plane_set *planes, const struct map_brush *brush)
{
    struct vec3 apex = bounds_center(&brush->bounds);
    double volume = 0;
    for (int i = 0; i < brush->side_count; i++) {
        const struct brush_side *side = &brush->sides[i];
        if (side->winding)
            volume -= plane_distance(&planes->planes[side->plane], apex) *
                      winding_area(side->winding) / 3;
    }
    return volume;
}

/* Makes planes and windings. False, and reported, if they enclose no valid volume. */
static bool shape_brush(struct compile *compile, struct map_brush *brush, struct vec3 origin)
{
    struct diag *diag = compile->env->diag;
    add_planes(compile, brush, origin);
    struct diag_where where = solid_where(compile, brush);
    if (brush->side_count < 4) {
        diag_report(diag, DIAG_SOLID_SIDES, &where,
                    "%d valid, at least 4 needed; the solid is dropped", brush->side_count);
        return false;
    }
    int windings = brush_add_windings(compile, brush);
    if (is_huge(compile, brush)) {
        diag_report(
            diag, DIAG_BRUSH_UNBOUNDED, &where,
            "its sides do not enclose it, or it is outside the world; the solid is dropped");
        return false;
    }
    if (windings < 4) {
        diag_report(diag, DIAG_BRUSH_NO_VOLUME, &where,
                    "its sides enclose no space; the solid is dropped");
        return false;
    }
    double volume = map_brush_volume(&compile->planes, brush);
    if (volume < compile->options->brushes->micro_volume) {
        where = brush_where(compile, brush, NULL);
        diag_report(diag, DIAG_BRUSH_MICRO, &where, "volume %.3g cubic units", volume);
    }
    return true;
}

static struct map_brush *new_brush(struct compile *compile, int entity,
                                   const struct map_solid *solid)
{
    struct map_brush *brush = ARENA_NEW(&compile->arena, struct map_brush);
    brush->number = -1;
    brush->entity = entity;
    brush->solid = solid;
    brush->sides = ARENA_ARRAY(&compile->arena, struct brush_side, arrlenu(solid->sides));
    return brush;
}

/* An occluder has a trigger material, and only its drawn sides occlude. */
static bool is_hidden_trigger(const struct compile *compile, const struct map_brush *brush,
                              const struct material *material)
{
    const struct vbsp_options *options = compile->options;
    return (options->brushes->no_draw_triggers || options->brushes->xbox) &&
           (material->surface_flags & SURFACE_TRIGGER) &&
           !entity_is(&compile->entities[brush->entity].keys, "func_occluder");
}

static int extra_flags(const struct compile *compile, const struct map_brush *brush,
                       const struct map_side *side, const struct material *material)
{
    int flags = side->flags;
    if (is_hidden_trigger(compile, brush, material))
        flags |= SURFACE_NODRAW;
    if (compile->options->brushes->xbox && material->water)
        flags |= SURFACE_NOLIGHT;
    if (material->bump || compile->options->bump_all)
        flags |= SURFACE_BUMPLIGHT;
    if (material->origin == MATERIAL_MISSING && !material->quake3 &&
        !compile->options->brushes->light_if_missing)
        flags |= SURFACE_NOLIGHT;
    return flags;
}

static double luxel_scale(const struct compile *compile, const struct map_side *side)
{
    const struct vbsp_options *options = compile->options;
    double scale =
        side->lightmap_scale > 0 ? side->lightmap_scale : options->brushes->default_luxel_size;
    scale = portable_fmax(scale * options->luxel_scale, options->min_luxel_scale);
    return portable_fmin(scale, MAX_LUXEL_SCALE);
}

static bool is_lit(const struct material *material, int flags)
{
    return !((material->surface_flags | flags) & (SURFACE_NOLIGHT | SURFACE_SKY | SURFACE_SKY2D)) ||
           material->bottom_material;
}

static bool is_drawn(const struct material *material, int flags)
{
    return !((material->surface_flags | flags) & (SURFACE_NODRAW | SURFACE_SKY | SURFACE_SKY2D));
}

/* Returns why the side cannot be lit, or its texture has no extent, with its axes; or NULL. */
static const char *fault_of_axes(const struct compile *compile, const struct brush_side *side,
                                 int flags, struct vec3 origin)
{
    const struct vec3 normal = compile->planes.planes[side->plane].normal;
    if (compile->options->engine->geometry.has_surfaces)
        return is_drawn(side->material, flags)
                   ? texinfo_texture_fault(side->map_side, side->material, normal)
                   : NULL;
    if (!is_lit(side->material, flags))
        return NULL;
    return texinfo_fault(side->map_side, side->material, origin,
                         luxel_scale(compile, side->map_side), normal);
}

/* Replaces axes that have a fault by those of the world, as an editor does. */
static void mend_axes(struct compile *compile, const struct map_brush *brush,
                      struct brush_side *side, int flags, struct vec3 origin)
{
    const char *fault = fault_of_axes(compile, side, flags, origin);
    if (!fault)
        return;
    struct diag_where where = brush_where(compile, brush, side);
    diag_report(compile->env->diag, DIAG_SIDE_AXES, &where, "%s; axes of the world are used",
                fault);
    struct map_side *sound = ARENA_ARRAY(&compile->arena, struct map_side, 1);
    *sound = *side->map_side;
    map_axes_default(compile->planes.planes[side->plane].normal, sound);
    if (!compile->options->engine->geometry.has_surfaces)
        sound->u.scale = sound->v.scale = DEFAULT_TEXTURE_SCALE;
    side->map_side = sound;
}

static void add_texinfo(struct compile *compile, struct map_brush *brush, struct vec3 origin)
{
    for (int i = 0; i < brush->side_count; i++) {
        struct brush_side *side = &brush->sides[i];
        side->material = material_replacements_use(compile, side->map_side->material);
        int flags = extra_flags(compile, brush, side->map_side, side->material);
        mend_axes(compile, brush, side, flags, origin);
        side->texinfo = texinfo_for_side(&compile->texinfos, side->map_side, side->material, origin,
                                         luxel_scale(compile, side->map_side), flags);
        side->record_texinfo = side->texinfo;
        side->flags = compile->texinfos.items[side->texinfo].flags;
    }
}

struct map_brush *brush_make(struct compile *compile, int entity, const struct map_solid *solid,
                             struct vec3 origin)
{
    struct map_brush *brush = new_brush(compile, entity, solid);
    if (!shape_brush(compile, brush, origin))
        return NULL;
    add_texinfo(compile, brush, origin);
    return brush;
}

void brush_finish(struct compile *compile, struct map_brush *brush)
{
    brush_add_bevels(&compile->arena, &compile->planes, brush);
    for (int i = 0; i < brush->side_count; i++) {
        brush->sides[i].original = &brush->sides[i];
        brush->sides[i].record_plane = brush->sides[i].plane;
    }
}

bool solid_bounds(struct compile *compile, int entity, const struct map_solid *solid,
                  struct bounds *out)
{
    struct map_brush *brush = new_brush(compile, entity, solid);
    bool sound = shape_brush(compile, brush, vec3(0, 0, 0));
    *out = brush->bounds;
    return sound;
}

bool brush_is_clip(const struct map_brush *brush)
{
    return (brush->contents & CONTENTS_CLIP) && !(brush->contents & CONTENTS_SUBSTANCE);
}

void brush_leave_tree(struct map_brush *brush)
{
    for (int i = 0; i < brush->side_count; i++)
        brush->sides[i].texinfo = TEXINFO_NODE;
}

int *compile_select_brushes(const struct compile *compile, int entity, int mask, bool with)
{
    int *selected = NULL;
    const int *brushes = compile->entities[entity].brushes;
    for (size_t i = 0; i < arrlenu(brushes); i++)
        if (((compile->brushes[brushes[i]]->contents & mask) != 0) == with)
            arrput(selected, brushes[i]);
    return selected;
}

struct bounds compile_brushes_bounds(const struct compile *compile, const int *brushes)
{
    struct bounds bounds = bounds_empty();
    for (size_t i = 0; i < arrlenu(brushes); i++)
        bounds_add(&bounds, &compile->brushes[brushes[i]]->bounds);
    return bounds;
}

static void add_brush_bounds(struct bounds *bounds, const struct map_brush *brush,
                             struct vec3 origin)
{
    const struct bounds moved = {vec3_add(brush->bounds.mins, origin),
                                 vec3_add(brush->bounds.maxs, origin)};
    if (!bounds_is_empty(&brush->bounds))
        bounds_add(bounds, &moved);
}

struct bounds compile_world_bounds(const struct compile *compile)
{
    struct bounds bounds = compile_brushes_bounds(compile, compile->entities[0].brushes);
    if (!bounds_is_empty(&bounds))
        return bounds;
    for (size_t i = 0; i < arrlenu(compile->displacement_brushes); i++)
        add_brush_bounds(&bounds, compile->displacement_brushes[i], vec3(0, 0, 0));
    for (size_t i = 0; i < arrlenu(compile->brushes); i++)
        add_brush_bounds(&bounds, compile->brushes[i],
                         compile->entities[compile->brushes[i]->entity].origin);
    return bounds;
}
