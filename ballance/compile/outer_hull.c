#include "ballance/compile/outer_hull_internal.h"

#include <stdint.h>

#include "ballance/compile/polygon_fill.h"
#include "common/core/portable_math.h"
#include "common/geom/epsilon.h"

/* Points this close to a plane lie on it when sides are cut: well above the rounding of doubles,
 * well below OUTER_WELD. */
#define OUTER_CUT 1e-6

struct solid_side {
    int plane; /* pooled */
    int group;
    const struct winding *winding;
};

struct solid {
    struct solid_side *sides; /* in the arena; those with a winding */
    int count;
    struct bounds bounds;
};

struct plane_slot;

struct outer_builder {
    struct arena arena;
    struct plane *planes; /* stb_ds array; i and i ^ 1 are each other's opposite */
    int *plane_next;      /* per pair: the next in its slot, or -1 */
    struct plane_slot *plane_slots;
    struct solid *solids; /* stb_ds array */
};

/* Sides are cut by the planes of the solids that they reach into, and what is inside of one is
 * dropped. A side is only cut by a solid if something of it is inside. */

struct cutter {
    struct outer_builder *builder;
    int solid;                      /* whose side is cut */
    int plane, group;               /* of the side */
    const struct winding **parts;   /* stb_ds array: outside of all solids so far */
    const struct winding **outside; /* stb_ds array: outside of the current solid */
};

/* How a part lies to the plane of a side of another solid. */
enum relation { APART, FACING, BESIDE };

/* FACING: on the plane, seen from the other side; BESIDE: seen from the same side. */
static enum relation relation_to(const struct cutter *cutter, const struct winding *part, int plane)
{
    const struct plane *planes = cutter->builder->planes;
    if (plane == cutter->plane)
        return BESIDE;
    if (plane == (cutter->plane ^ 1))
        return FACING;
    if (winding_classify(part, &planes[plane], OUTER_CUT) != WINDING_ON)
        return APART;
    return vec3_dot(planes[plane].normal, planes[cutter->plane].normal) > 0 ? BESIDE : FACING;
}

/* Appends what is outside of a solid to cutter->outside. A part on the solid's surface is inside,
 * unless both face the same way and the solid comes later: then its own side is the one to go. */
static void cut_part(struct cutter *cutter, const struct winding *part, int other)
{
    const struct outer_builder *builder = cutter->builder;
    const struct solid *solid = &builder->solids[other];
    struct arena *arena = &cutter->builder->arena;
    size_t begin = arrlenu(cutter->outside);
    struct winding *rest = (struct winding *)part;
    for (int i = 0; i < solid->count && rest; i++) {
        struct winding *front;
        enum relation relation = relation_to(cutter, rest, solid->sides[i].plane);
        if (relation == BESIDE && other > cutter->solid)
            rest = NULL;
        if (relation != APART)
            continue;
        winding_clip(arena, rest, &builder->planes[solid->sides[i].plane], OUTER_CUT, &front,
                     &rest);
        if (front)
            arrput(cutter->outside, front);
    }
    if (rest)
        return;
    arrsetlen(cutter->outside, begin);
    arrput(cutter->outside, part);
}

static void cut_by(struct cutter *cutter, int other)
{
    const struct bounds *bounds = &cutter->builder->solids[other].bounds;
    arrsetlen(cutter->outside, 0);
    for (size_t i = 0; i < arrlenu(cutter->parts); i++) {
        struct bounds part = winding_bounds(cutter->parts[i]);
        if (bounds_touch(bounds, &part, OUTER_CUT))
            cut_part(cutter, cutter->parts[i], other);
        else
            arrput(cutter->outside, cutter->parts[i]);
    }
    const struct winding **swap = cutter->parts;
    cutter->parts = cutter->outside;
    cutter->outside = swap;
}

static void cut_side(struct cutter *cutter, const struct solid_side *side, const int *others,
                     struct fragment **fragments)
{
    cutter->plane = side->plane;
    arrsetlen(cutter->parts, 0);
    arrput(cutter->parts, side->winding);
    for (size_t i = 0; i < arrlenu(others) && arrlenu(cutter->parts); i++)
        cut_by(cutter, others[i]);
    for (size_t i = 0; i < arrlenu(cutter->parts); i++) {
        struct fragment fragment = {side->plane, side->group, cutter->parts[i]};
        arrput(*fragments, fragment);
    }
}

/* Appends the parts of all sides that are outside of all other solids. */
static void outer_cut(struct outer_builder *builder, struct fragment **fragments)
{
    struct cutter cutter = {.builder = builder};
    int *others = NULL, count = (int)arrlen(builder->solids);
    for (int i = 0; i < count; i++) {
        const struct solid *solid = &builder->solids[i];
        arrsetlen(others, 0);
        for (int k = 0; k < count; k++)
            if (k != i && bounds_touch(&solid->bounds, &builder->solids[k].bounds, OUTER_CUT))
                arrput(others, k);
        cutter.solid = i;
        for (int k = 0; k < solid->count; k++)
            cut_side(&cutter, &solid->sides[k], others, fragments);
    }
    arrfree(others);
    arrfree(cutter.parts);
    arrfree(cutter.outside);
}

/* --- outer hull --- */

/* A side whose points are this close to the plane of another one, which has nearly its direction,
 * lies on it. */
#define SAME_PLANE  5e-4
#define SAME_NORMAL (1 - 1e-7)

/* Floats of coordinates have eight steps in a welding distance. */
#define FLOAT_STEPS 0x1p-21

/* Larger distances are tried this often, each FARTHER times the last. */
enum { TRIES = 4 };
#define FARTHER 4.0

struct plane_slot {
    int64_t key; /* distance from the origin, in units */
    int value;   /* the first pair */
};

struct outer_builder *outer_begin(void)
{
    return memory_zalloc(1, sizeof(struct outer_builder));
}

static void free_builder(struct outer_builder *builder)
{
    arrfree(builder->planes);
    arrfree(builder->plane_next);
    hmfree(builder->plane_slots);
    arrfree(builder->solids);
    arena_free(&builder->arena);
    memory_free(builder);
}

/* --- planes --- */

static int64_t slot_key(double dist)
{
    return (int64_t)floor(fabs(dist) + 0.5);
}

static double deviation(const struct winding *winding, const struct plane *plane)
{
    double max = 0;
    for (int i = 0; i < winding->count; i++)
        max = portable_fmax(max, fabs(plane_distance(plane, winding->points[i])));
    return max;
}

/* Returns the plane of the slot that the winding fits best, or `best` when none fits better. */
static int fit_slot(struct outer_builder *builder, int64_t key, const struct plane *plane,
                    const struct winding *winding, int best, double *min)
{
    const struct plane_slot *slot = hmgetp_null(builder->plane_slots, key);
    for (int pair = slot ? slot->value : -1; pair >= 0; pair = builder->plane_next[pair]) {
        double along = vec3_dot(builder->planes[2 * pair].normal, plane->normal);
        double off =
            fabs(along) < SAME_NORMAL ? SAME_PLANE : deviation(winding, &builder->planes[2 * pair]);
        if (off < *min) {
            *min = off;
            best = 2 * pair + (along < 0);
        }
    }
    return best;
}

static int add_plane(struct outer_builder *builder, const struct plane *plane)
{
    int pair = (int)arrlen(builder->plane_next);
    int64_t key = slot_key(plane->dist);
    const struct plane_slot *slot = hmgetp_null(builder->plane_slots, key);
    int next = slot ? slot->value : -1;
    arrput(builder->planes, *plane);
    arrput(builder->planes, plane_flip(plane));
    arrput(builder->plane_next, next);
    hmput(builder->plane_slots, key, pair);
    return 2 * pair;
}

/* Returns the plane of a side: an earlier one that its winding lies on, or a new one. */
static int pool_plane(struct outer_builder *builder, const struct plane *plane,
                      const struct winding *winding)
{
    double min = SAME_PLANE;
    int best = -1;
    int64_t key = slot_key(plane->dist);
    for (int64_t k = key - 1; k <= key + 1; k++)
        best = fit_slot(builder, k, plane, winding, best, &min);
    return best >= 0 ? best : add_plane(builder, plane);
}

/* --- solids --- */

static struct winding *side_winding(struct arena *arena, const struct plane *planes, size_t count,
                                    size_t own)
{
    struct arena_mark mark = arena_mark(arena);
    return winding_keep(arena, mark, winding_of_side(arena, planes, count, own, EPSILON_NOISE));
}

/* Makes the windings of the sides, of which those without one are dropped. */
static void shape_solid(struct outer_builder *builder, const struct outer_side *sides, size_t count,
                        struct plane *planes, struct solid *out)
{
    for (size_t i = 0; i < count; i++) {
        const struct winding *winding = side_winding(&builder->arena, planes, count, i);
        if (winding)
            out->sides[out->count++] = (struct solid_side){(int)i, sides[i].group, winding};
    }
}

/* Moves the sides to pooled planes, and makes the windings again. */
static void pool_planes(struct outer_builder *builder, struct plane *planes, struct solid *solid)
{
    for (int i = 0; i < solid->count; i++) {
        struct solid_side *side = &solid->sides[i];
        side->plane = pool_plane(builder, &planes[side->plane], side->winding);
    }
    for (int i = 0; i < solid->count; i++)
        planes[i] = builder->planes[solid->sides[i].plane];
    solid->bounds = bounds_empty();
    int kept = 0;
    for (int i = 0; i < solid->count; i++) {
        struct solid_side side = solid->sides[i];
        side.winding = side_winding(&builder->arena, planes, (size_t)solid->count, (size_t)i);
        if (!side.winding)
            continue;
        struct bounds bounds = winding_bounds(side.winding);
        bounds_add(&solid->bounds, &bounds);
        solid->sides[kept++] = side;
    }
    solid->count = kept;
}

/* Within this, windings are whole, whatever the slope of their plane: they begin as squares of
 * 65536 units around its middle. */
#define FARTHEST 32768.0

static bool is_bounded(const struct solid *solid)
{
    for (int i = 0; i < solid->count; i++)
        if (winding_is_beyond(solid->sides[i].winding, FARTHEST))
            return false;
    return true;
}

enum outer_solid outer_add(struct outer_builder *builder, const struct outer_side *sides,
                           size_t count)
{
    struct arena_mark mark = arena_mark(&builder->arena);
    struct solid solid = {.sides = ARENA_ARRAY(&builder->arena, struct solid_side, count)};
    struct plane *planes = memory_alloc((count + 1) * sizeof *planes);
    for (size_t i = 0; i < count; i++)
        planes[i] = sides[i].plane;
    shape_solid(builder, sides, count, planes, &solid);
    bool bounded = is_bounded(&solid);
    if (bounded && solid.count >= 4)
        pool_planes(builder, planes, &solid);
    memory_free(planes);
    if (bounded && solid.count >= 4) {
        arrput(builder->solids, solid);
        return OUTER_SOLID;
    }
    arena_release(&builder->arena, mark);
    return bounded ? OUTER_SOLID_EMPTY : OUTER_SOLID_UNBOUNDED;
}

/* --- areas --- */

struct area {
    struct outer_hull *hull;
    double weld;
    struct point2 *points;      /* stb_ds array */
    int *vertices;              /* stb_ds array: of each point */
    struct polygon_edge *edges; /* stb_ds array */
    int *triangles;             /* stb_ds array */
    int *point_of;              /* per vertex; -1: none yet */
};

/* Seen from behind, so that clockwise outlines become counterclockwise ones. */
static struct point2 flatten(struct vec3 p, struct vec3 normal)
{
    int axis = vec3_major_axis(normal), x = (axis + 1) % 3, y = (axis + 2) % 3;
    return normal.e[axis] > 0 ? (struct point2){p.e[y], p.e[x]} : (struct point2){p.e[x], p.e[y]};
}

static int point_of(struct area *area, int vertex, struct vec3 normal)
{
    if (area->point_of[vertex] < 0) {
        area->point_of[vertex] = (int)arrlen(area->points);
        arrput(area->points, flatten(area->hull->vertices[vertex], normal));
        arrput(area->vertices, vertex);
    }
    return area->point_of[vertex];
}

static void fill_area(struct area *area, const struct area_edge *edges, size_t count)
{
    struct outer_hull *hull = area->hull;
    struct vec3 normal = hull->planes[edges->plane].normal;
    arrsetlen(area->points, 0);
    arrsetlen(area->vertices, 0);
    arrsetlen(area->edges, 0);
    arrsetlen(area->triangles, 0);
    for (size_t i = 0; i < count; i++) {
        struct polygon_edge edge = {point_of(area, edges[i].from, normal), 0};
        edge.to = point_of(area, edges[i].to, normal);
        arrput(area->edges, edge);
    }
    hull->degenerate +=
        polygon_fill(area->points, area->edges, count, 2 * area->weld, &area->triangles);
    for (size_t i = 0; i < arrlenu(area->triangles); i += 3) {
        struct outer_triangle triangle = {.plane = edges->plane, .group = edges->group};
        for (int k = 0; k < 3; k++)
            triangle.corners[k] = area->vertices[area->triangles[i + (size_t)k]];
        arrput(hull->triangles, triangle);
    }
    for (size_t i = 0; i < arrlenu(area->vertices); i++)
        area->point_of[area->vertices[i]] = -1;
}

static void fill_areas(const struct area_edge *edges, double weld, struct outer_hull *hull)
{
    struct area area = {.hull = hull, .weld = weld};
    for (size_t i = 0; i < arrlenu(hull->vertices); i++)
        arrput(area.point_of, -1);
    size_t count = arrlenu(edges);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && edges[end].plane == edges[i].plane &&
                      edges[end].group == edges[i].group;)
            end++;
        if (edges[i].group >= 0)
            fill_area(&area, edges + i, end - i);
        else
            hull->hidden++;
    }
    arrfree(area.points);
    arrfree(area.vertices);
    arrfree(area.edges);
    arrfree(area.triangles);
    arrfree(area.point_of);
}

static double welding_distance(const struct outer_builder *builder)
{
    double reach = 0;
    for (size_t i = 0; i < arrlenu(builder->solids); i++)
        for (int k = 0; k < 3; k++) {
            reach = portable_fmax(reach, -builder->solids[i].bounds.mins.e[k]);
            reach = portable_fmax(reach, builder->solids[i].bounds.maxs.e[k]);
        }
    return portable_fmax(OUTER_WELD, reach * FLOAT_STEPS);
}

void outer_finish(struct outer_builder *builder, struct outer_hull *out)
{
    struct fragment *fragments = NULL;
    *out = (struct outer_hull){.planes = builder->planes};
    outer_cut(builder, &fragments);
    double weld = welding_distance(builder);
    struct area_edge *edges = outer_edges(fragments, weld, out);
    for (int i = 1; i < TRIES && out->open_edges; i++) {
        arrfree(edges);
        arrfree(out->vertices);
        edges = outer_edges(fragments, weld *= FARTHER, out);
    }
    fill_areas(edges, weld, out);
    builder->planes = NULL;
    arrfree(edges);
    arrfree(fragments);
    free_builder(builder);
}

void outer_free(struct outer_hull *hull)
{
    arrfree(hull->vertices);
    arrfree(hull->planes);
    arrfree(hull->triangles);
    *hull = (struct outer_hull){0};
}
