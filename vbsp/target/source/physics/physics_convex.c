#include "vbsp/target/source/physics/physics_convex.h"

#include <math.h>
#include <stdint.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/geom/vec.h"

/* Points on an integer grid, and on which side of a plane through three of them a fourth lies:
 * without rounding, so that all answers about a point set agree with each other. */

/* Holds products of three coordinates of a grid. */
__extension__ typedef __int128 grid_product;

struct grid_point {
    int64_t at[3];
};

struct convex_grid {
    struct grid_point *points;
    double steps_per_unit;
};

/* The plane of a triangle. */
struct grid_plane {
    struct grid_point corner;
    grid_product normal[3];
    double length; /* of the normal; 0 if the corners are collinear */
};

enum {
    AXES = 3,
    /* Bits of a coordinate. A difference has one more, a product of two differences 2 * 39, their
     * sum 79, and a sum of three products of that with a difference 120, of the 127 there are. */
    GRID_BITS = 38,
};

/* Rounds the points to steps of less than 1e-11 of their extent. False, and nothing allocated, if
 * they have no extent or one is not finite. */
static bool convex_grid_make(struct convex_grid *grid, const struct vec3 *points, int count)
{
    double extent = 0;
    for (int i = 0; i < count; i++) {
        struct vec3 away = vec3_sub(points[i], points[0]);
        double length = vec3_length(away);
        if (!isfinite(length))
            return false;
        extent = portable_fmax(extent, length);
    }
    if (extent < 1e-30)
        return false;
    int exponent;
    (void)frexp(extent, &exponent);
    grid->steps_per_unit = ldexp(1, GRID_BITS - exponent);
    grid->points = memory_zalloc((size_t)count, sizeof *grid->points);
    for (int i = 0; i < count; i++) {
        struct vec3 away = vec3_scale(vec3_sub(points[i], points[0]), grid->steps_per_unit);
        grid->points[i] = (struct grid_point){{llrint(away.x), llrint(away.y), llrint(away.z)}};
    }
    return true;
}

static void convex_grid_free(struct convex_grid *grid)
{
    memory_free(grid->points);
    *grid = (struct convex_grid){0};
}

static struct grid_point difference(const struct grid_point *a, const struct grid_point *b)
{
    return (struct grid_point){
        {a->at[0] - b->at[0], a->at[1] - b->at[1], a->at[2] - b->at[2]},
    };
}

static struct grid_plane convex_grid_plane(const struct convex_grid *grid, const int corners[3])
{
    const struct grid_point *corner = &grid->points[corners[0]];
    struct grid_point a = difference(&grid->points[corners[1]], corner);
    struct grid_point b = difference(&grid->points[corners[2]], corner);
    struct grid_plane plane = {.corner = *corner};
    double squares = 0;
    for (int i = 0; i < AXES; i++) {
        int j = (i + 1) % AXES, k = (i + 2) % AXES;
        plane.normal[i] = (grid_product)a.at[j] * b.at[k] - (grid_product)a.at[k] * b.at[j];
        squares += (double)plane.normal[i] * (double)plane.normal[i];
    }
    plane.length = sqrt(squares);
    return plane;
}

/* Distance of the point in front of the plane, in map units. Its sign is exact; 0 for all points if
 * the plane's corners are collinear. */
static double convex_grid_height(const struct convex_grid *grid, const struct grid_plane *plane,
                                 int point)
{
    if (plane->length <= 0)
        return 0;
    struct grid_point away = difference(&grid->points[point], &plane->corner);
    grid_product volume = 0;
    for (int i = 0; i < AXES; i++)
        volume += plane->normal[i] * away.at[i];
    return (double)volume / plane->length / grid->steps_per_unit;
}

/* --- physics convex --- */

/* A point this far in front of a triangle, relative to the hull's size, is outside of it. Rounding
 * errors are much smaller, and even a slightly wrong triangle must be removed, or its neighbours
 * would be tilted. */
#define IN_FRONT 1e-10

enum { CORNERS = 3, INSIDE = -1, ADDED = -2 };

struct facet {
    struct convex_triangle triangle;
    struct vec3 normal;
    double dist;
    struct grid_plane plane; /* if exact */
    bool removed;
};

struct edge {
    int from, to;
};

/* A point outside of the hull so far, and the facet that it is farthest in front of. */
struct outsider {
    int facet; /* or INSIDE, or ADDED */
    double height;
};

struct builder {
    const struct vec3 *points;
    int count;
    double tolerance;
    struct convex_grid grid;
    bool exact;           /* measure on the grid: slower */
    double in_front;      /* minimum height from which a facet is visible; 0 if exact */
    struct facet *facets; /* stb_ds array */
    struct outsider *outsiders;
    struct edge *edges; /* stb_ds array, scratch: edges of the visible facets */
};

static double height_of(const struct builder *builder, const struct facet *facet, int point)
{
    if (builder->exact)
        return convex_grid_height(&builder->grid, &facet->plane, point);
    return vec3_dot(facet->normal, builder->points[point]) - facet->dist;
}

static void add_facet(struct builder *builder, int a, int b, int c)
{
    const struct vec3 *p = builder->points;
    struct facet facet = {.triangle = {{a, b, c}}};
    facet.normal = vec3_normalize(vec3_cross(vec3_sub(p[b], p[a]), vec3_sub(p[c], p[a])));
    facet.dist = vec3_dot(facet.normal, p[a]);
    if (builder->exact)
        facet.plane = convex_grid_plane(&builder->grid, facet.triangle.points);
    arrput(builder->facets, facet);
}

/* Finds a facet from `first` on that the point is in front of. */
static void assign_outsider(struct builder *builder, int point, int first)
{
    struct outsider *outsider = &builder->outsiders[point];
    *outsider = (struct outsider){INSIDE, builder->tolerance};
    for (int i = first; i < (int)arrlen(builder->facets); i++) {
        const struct facet *facet = &builder->facets[i];
        double height = facet->removed ? 0 : height_of(builder, facet, point);
        if (height > outsider->height)
            *outsider = (struct outsider){i, height};
    }
}

/* The point with the greatest measure, which is never negative. */
#define FARTHEST(builder, best, expression)                                                        \
    do {                                                                                           \
        double max = -1;                                                                           \
        for (int i = 0; i < (builder)->count; i++) {                                               \
            struct vec3 p = (builder)->points[i];                                                  \
            double measure = (expression);                                                         \
            if (measure > max) {                                                                   \
                max = measure;                                                                     \
                (best) = i;                                                                        \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* Makes a tetrahedron of four distant points; false when all are coplanar. */
static bool make_tetrahedron(struct builder *builder)
{
    const struct vec3 *points = builder->points;
    int a = 0, b = 0, c = 0, d = 0;
    FARTHEST(builder, a, vec3_distance(p, points[0]));
    FARTHEST(builder, b, vec3_distance(p, points[a]));
    struct vec3 way = vec3_sub(points[b], points[a]);
    builder->in_front = builder->exact ? 0 : vec3_length(way) * IN_FRONT;
    FARTHEST(builder, c, vec3_length(vec3_cross(vec3_sub(p, points[a]), way)));
    double off_line = vec3_length(vec3_cross(vec3_sub(points[c], points[a]), way));
    if (off_line <= builder->tolerance * vec3_length(way))
        return false;
    add_facet(builder, a, b, c);
    const struct vec3 normal = builder->facets[0].normal;
    FARTHEST(builder, d, fabs(vec3_dot(normal, vec3_sub(p, points[a]))));
    double height = height_of(builder, &builder->facets[0], d);
    if (fabs(height) <= builder->tolerance)
        return false;
    if (height > 0) {
        int swap = b;
        b = c;
        c = swap;
        arrsetlen(builder->facets, 0);
        add_facet(builder, a, b, c);
    }
    add_facet(builder, a, d, b);
    add_facet(builder, b, d, c);
    add_facet(builder, c, d, a);
    for (int i = 0; i < builder->count; i++)
        assign_outsider(builder, i, 0);
    const int corners[] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
        builder->outsiders[corners[i]].facet = ADDED;
    return true;
}

static void remove_visible(struct builder *builder, int point)
{
    arrsetlen(builder->edges, 0);
    for (int i = 0; i < (int)arrlen(builder->facets); i++) {
        struct facet *facet = &builder->facets[i];
        if (facet->removed || height_of(builder, facet, point) <= builder->in_front)
            continue;
        facet->removed = true;
        for (int k = 0; k < CORNERS; k++) {
            struct edge edge = {facet->triangle.points[k],
                                facet->triangle.points[(k + 1) % CORNERS]};
            arrput(builder->edges, edge);
        }
    }
}

/* Connects the point with the horizon by new facets. */
static void close_horizon(struct builder *builder, int point)
{
    const struct edge *edges = builder->edges;
    for (size_t i = 0; i < arrlenu(edges); i++) {
        bool inner = false;
        for (size_t k = 0; k < arrlenu(edges) && !inner; k++)
            inner = edges[k].from == edges[i].to && edges[k].to == edges[i].from;
        if (!inner)
            add_facet(builder, edges[i].from, edges[i].to, point);
    }
}

static int farthest_outsider(const struct builder *builder)
{
    int best = INSIDE;
    for (int i = 0; i < builder->count; i++)
        if (builder->outsiders[i].facet >= 0 &&
            (best == INSIDE || builder->outsiders[i].height > builder->outsiders[best].height))
            best = i;
    return best;
}

/* Finds facets for the points that lost theirs, preferably new ones, and for those that are in
 * front of a new one by now. */
static void reassign_outsiders(struct builder *builder, int first_new)
{
    for (int i = 0; i < builder->count; i++) {
        int facet = builder->outsiders[i].facet;
        bool lost = facet >= 0 && builder->facets[facet].removed;
        if (lost || facet == INSIDE)
            assign_outsider(builder, i, first_new);
        if (lost && builder->outsiders[i].facet == INSIDE)
            assign_outsider(builder, i, 0);
    }
}

/* Compacts the facets, so that later searches are short. */
static void remove_dead_facets(struct builder *builder)
{
    int kept = 0;
    int *moved = memory_zalloc(arrlenu(builder->facets), sizeof *moved);
    for (int i = 0; i < (int)arrlen(builder->facets); i++) {
        moved[i] = kept;
        if (!builder->facets[i].removed)
            builder->facets[kept++] = builder->facets[i];
    }
    arrsetlen(builder->facets, (size_t)kept);
    for (int i = 0; i < builder->count; i++)
        if (builder->outsiders[i].facet >= 0)
            builder->outsiders[i].facet = moved[builder->outsiders[i].facet];
    memory_free(moved);
}

/* False if all points are coplanar. */
static bool build(struct builder *builder)
{
    int point;
    arrsetlen(builder->facets, 0);
    if (!make_tetrahedron(builder))
        return false;
    while ((point = farthest_outsider(builder)) != INSIDE) {
        builder->outsiders[point].facet = ADDED;
        remove_visible(builder, point);
        int first_new = (int)arrlen(builder->facets);
        close_horizon(builder, point);
        reassign_outsiders(builder, first_new);
        remove_dead_facets(builder);
    }
    return true;
}

struct edge_cell {
    struct edge key;
    bool value;
};

/* True if each edge is used once in both directions. */
static bool is_closed(const struct builder *builder)
{
    struct edge_cell *used = NULL;
    bool closed = true;
    for (size_t i = 0; i < arrlenu(builder->facets); i++) {
        const int *points = builder->facets[i].triangle.points;
        for (int k = 0; k < CORNERS; k++) {
            struct edge edge = {points[k], points[(k + 1) % CORNERS]};
            closed = closed && hmgeti(used, edge) < 0;
            hmput(used, edge, true);
        }
    }
    for (ptrdiff_t i = 0; i < hmlen(used) && closed; i++) {
        struct edge back = {used[i].key.to, used[i].key.from};
        closed = hmgeti(used, back) >= 0;
    }
    hmfree(used);
    return closed;
}

/* True if no point lies outside by more than the tolerance. */
static bool contains_all(const struct builder *builder)
{
    double max = builder->tolerance + builder->in_front;
    for (size_t i = 0; i < arrlenu(builder->facets); i++) {
        const int *corners = builder->facets[i].triangle.points;
        struct grid_plane plane = convex_grid_plane(&builder->grid, corners);
        for (int k = 0; k < builder->count; k++)
            if (convex_grid_height(&builder->grid, &plane, k) > max)
                return false;
    }
    return true;
}

struct convex_triangle *convex_hull(const struct vec3 *points, int count, double tolerance)
{
    struct convex_triangle *triangles = NULL;
    struct builder builder = {.points = points, .count = count, .tolerance = tolerance};
    if (count <= CORNERS || !convex_grid_make(&builder.grid, points, count))
        return NULL;
    builder.outsiders = memory_zalloc((size_t)count, sizeof *builder.outsiders);
    bool found = build(&builder);
    if (found && (!is_closed(&builder) || !contains_all(&builder))) {
        builder.exact = true;
        found = build(&builder);
    }
    for (size_t i = 0; i < arrlenu(builder.facets) && found; i++)
        arrput(triangles, builder.facets[i].triangle);
    arrfree(builder.facets);
    arrfree(builder.edges);
    memory_free(builder.outsiders);
    convex_grid_free(&builder.grid);
    return triangles;
}
