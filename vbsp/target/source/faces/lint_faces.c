/* Finds overlapping coplanar faces of two solids. */
#include "common/bsp/face_records.h"
#include "vbsp/target/source/faces/face.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/lint_solids.def"
#include "common/geom/epsilon.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/target/source/entities/state.h"

/* Smaller overlaps, in square units, do not flicker visibly. */
#define MIN_AREA 1.0

enum {
    NOT_SEEN = SURFACE_NODRAW | SURFACE_SKY | SURFACE_SKY2D | SURFACE_HINT | SURFACE_SKIP |
               SURFACE_TRIGGER,
    MAX_POINTS = 64
};

struct drawn {
    int plane, face, entity;
    double low, high; /* extent along an axis that is not perpendicular to the plane */
    struct bounds bounds;
};

struct overlap {
    struct {
        const struct map_brush *first, *second;
    } key;
    struct {
        double area;
        int face; /* of the second solid */
        struct vec3 point;
    } value;
};

struct finder {
    struct compile *compile;
    struct drawn *drawn; /* stb_ds array */
    struct {
        const struct brush_side *key;
        const struct map_brush *value;
    } *brushes;               /* hash map; filled on the first overlap */
    struct overlap *overlaps; /* hash map */
};

static bool entity_is_drawn(const struct entity *keys)
{
    return entity_number(keys, "rendermode", 0) != 10 &&
           !str_starts_nocase(entity_value(keys, "classname"), "trigger_");
}

static struct vec3 corner(const struct finder *finder, const struct drawn *drawn, int index)
{
    const struct bsp *bsp = finder->compile->bsp;
    struct vec3 point = bsp_vertex_at(bsp, bsp_face_vertex(bsp, &bsp->faces[drawn->face], index));
    return vec3_add(point, finder->compile->entities[drawn->entity].origin);
}

static void add_face(struct finder *finder, int entity, int number)
{
    struct compile *compile = finder->compile;
    const struct bsp_face *face = &compile->bsp->faces[number];
    const struct bsp_texinfo *texinfo = &compile->bsp->texinfo[face->texinfo];
    if (face->dispinfo >= 0 || (texinfo->flags & NOT_SEEN) || face->edge_count > MAX_POINTS)
        return;
    struct drawn drawn = {.plane = face->plane, .face = number, .entity = entity};
    struct vec3 origin = compile->entities[entity].origin;
    struct plane plane = compile->planes.planes[face->plane];
    double move = vec3_dot(plane.normal, origin);
    if (move != 0)
        drawn.plane = plane_set_find(&compile->planes, plane.normal, plane.dist + move);
    drawn.bounds = bounds_empty();
    for (int i = 0; i < face->edge_count; i++)
        bounds_add_point(&drawn.bounds, corner(finder, &drawn, i));
    int axis = fabs(plane.normal.x) > 0.5;
    drawn.low = drawn.bounds.mins.e[axis];
    drawn.high = drawn.bounds.maxs.e[axis];
    arrput(finder->drawn, drawn);
}

static void add_models(struct finder *finder)
{
    const struct compile *compile = finder->compile;
    for (int i = 0; i < (int)arrlen(compile->entities); i++) {
        int number = compile->entities[i].model;
        if (number < 0 || number >= (int)arrlen(compile->bsp->models) ||
            !entity_is_drawn(&compile->entities[i].keys))
            continue;
        const struct bsp_model *model = &compile->bsp->models[number];
        for (int j = 0; j < model->face_count; j++)
            add_face(finder, i, model->first_face + j);
    }
}

static int compare_drawn(const void *a, const void *b)
{
    const struct drawn *p = a, *q = b;
    if (p->plane != q->plane)
        return p->plane < q->plane ? -1 : 1;
    if (p->low < q->low || p->low > q->low)
        return p->low < q->low ? -1 : 1;
    return (p->face > q->face) - (p->face < q->face);
}

static bool boxes_overlap(const struct bounds *a, const struct bounds *b)
{
    int wide = 0;
    for (int i = 0; i < 3; i++) {
        double low = portable_fmax(a->mins.e[i], b->mins.e[i]),
               high = portable_fmin(a->maxs.e[i], b->maxs.e[i]);
        if (high < low - EPSILON_SPLIT)
            return false;
        wide += high > low + EPSILON_SPLIT;
    }
    return wide >= 2;
}

/* The intersection of the two faces, or NULL. Both are convex, clockwise from the front. */
static struct winding *common_part(const struct finder *finder, struct arena *arena,
                                   const struct drawn *a, const struct drawn *b)
{
    const struct bsp *bsp = finder->compile->bsp;
    struct vec3 points[MAX_POINTS], normal = finder->compile->planes.planes[a->plane].normal;
    int count = bsp->faces[a->face].edge_count, others = bsp->faces[b->face].edge_count;
    for (int i = 0; i < count; i++)
        points[i] = corner(finder, a, i);
    struct winding *part = winding_new(arena, count, points);
    for (int i = 0; i < others && part; i++) {
        struct vec3 start = corner(finder, b, i);
        struct vec3 along = vec3_sub(corner(finder, b, (i + 1) % others), start);
        struct vec3 out = vec3_cross(normal, along);
        double length = vec3_length(out);
        if (length < EPSILON_EQUAL)
            continue;
        struct plane edge = {.normal = vec3_scale(out, 1 / length)};
        edge.dist = vec3_dot(edge.normal, start);
        part = winding_clip_behind(arena, part, &edge, EPSILON_SPLIT);
    }
    return part;
}

static const struct map_brush *brush_of(struct finder *finder, int face)
{
    const struct compile *compile = finder->compile;
    bool known = finder->brushes != NULL;
    for (size_t i = 0; i < arrlenu(compile->brushes) && !known; i++)
        for (int j = 0; j < compile->brushes[i]->side_count; j++)
            hmput(finder->brushes, &compile->brushes[i]->sides[j], compile->brushes[i]);
    return finder->brushes ? hmget(finder->brushes, source_state(compile)->face_sides[face]) : NULL;
}

static void compare_faces(struct finder *finder, struct arena *scratch, const struct drawn *a,
                          const struct drawn *b)
{
    const struct brush_side *const *sides = source_state(finder->compile)->face_sides;
    if (sides[a->face] == sides[b->face] || !boxes_overlap(&a->bounds, &b->bounds))
        return;
    const struct winding *part = common_part(finder, scratch, a, b);
    double area = part ? winding_area(part) : 0;
    const struct map_brush *first = brush_of(finder, a->face), *second = brush_of(finder, b->face);
    if (area < MIN_AREA || !first || !second || first == second)
        return;
    bool swap = second->number < first->number;
    struct overlap overlap = {.key = {swap ? second : first, swap ? first : second}};
    struct overlap *known = hmgetp_null(finder->overlaps, overlap.key);
    if (known) {
        known->value.area += area;
        return;
    }
    overlap.value.area = area;
    overlap.value.face = swap ? a->face : b->face;
    overlap.value.point = winding_center(part);
    hmputs(finder->overlaps, overlap);
}

static void compare_all(struct finder *finder)
{
    struct arena scratch = {0};
    struct drawn *drawn = finder->drawn;
    size_t count = arrlenu(drawn);
    if (drawn)
        qsort(drawn, count, sizeof *drawn, compare_drawn);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1;
             j < count && drawn[j].plane == drawn[i].plane && drawn[j].low <= drawn[i].high; j++) {
            compare_faces(finder, &scratch, &drawn[i], &drawn[j]);
            arena_reset(&scratch);
        }
    arena_free(&scratch);
}

static int compare_overlaps(const void *a, const void *b)
{
    const struct overlap *p = a, *q = b;
    int first = p->key.first->number, second = q->key.first->number;
    if (first == second) {
        first = p->key.second->number;
        second = q->key.second->number;
    }
    return (first > second) - (first < second);
}

static void report(const struct finder *finder, const struct overlap *overlap)
{
    const struct compile *compile = finder->compile;
    struct diag_where first = brush_where(compile, overlap->key.first, NULL);
    struct diag_where where = brush_where(compile, overlap->key.second,
                                          source_state(compile)->face_sides[overlap->value.face]);
    where.has_point = true;
    memcpy(where.point, overlap->value.point.e, sizeof where.point);
    (void)diag_report(compile->env->diag, DIAG_FACES_OVERLAP, &where,
                      "%.6g square units overlap solid %s%s%s", overlap->value.area,
                      diag_solid_number(&first).text, first.placed_by ? " of " : "",
                      first.placed_by ? first.file : "");
}

void lint_faces(struct compile *compile)
{
    struct finder finder = {.compile = compile};
    add_models(&finder);
    compare_all(&finder);
    struct overlap *sorted = NULL;
    for (ptrdiff_t i = 0; i < hmlen(finder.overlaps); i++)
        arrput(sorted, finder.overlaps[i]);
    if (sorted)
        qsort(sorted, arrlenu(sorted), sizeof *sorted, compare_overlaps);
    for (size_t i = 0; i < arrlenu(sorted); i++)
        report(&finder, &sorted[i]);
    arrfree(sorted);
    arrfree(finder.drawn);
    hmfree(finder.brushes);
    hmfree(finder.overlaps);
}
