#include "vbsp/csg/brush_make.h"

#include <string.h>

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

/* Replaces axes with which the side cannot be lit by those of the world, as an editor does. */
static struct map_side sound_side(const struct compile *compile, const struct map_brush *brush,
                                  const struct brush_side *side, struct vec3 origin)
{
    struct map_side sound = *side->map_side;
    struct vec3 normal = compile->planes.planes[side->plane].normal;
    const char *fault =
        texinfo_fault(&sound, side->material, origin, luxel_scale(compile, side->map_side), normal);
    if (!fault)
        return sound;
    struct diag_where where = brush_where(compile, brush, side);
    diag_report(compile->env->diag, DIAG_SIDE_AXES, &where, "%s; axes of the world are used",
                fault);
    map_axes_default(normal, &sound);
    sound.u.scale = sound.v.scale = DEFAULT_TEXTURE_SCALE;
    return sound;
}

static void add_texinfo(struct compile *compile, struct map_brush *brush, struct vec3 origin)
{
    for (int i = 0; i < brush->side_count; i++) {
        struct brush_side *side = &brush->sides[i];
        side->material = material_replacements_use(compile, side->map_side->material);
        int flags = extra_flags(compile, brush, side->map_side, side->material);
        struct map_side mapped = *side->map_side;
        if (is_lit(side->material, flags))
            mapped = sound_side(compile, brush, side, origin);
        side->texinfo = texinfo_for_side(&compile->texinfos, &mapped, side->material, origin,
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
