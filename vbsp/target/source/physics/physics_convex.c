#include "vbsp/target/source/physics/physics_convex.h"

#include "common/core/array.h"

/* A point this far in front of a triangle, relative to the hull's size, is outside of it. Rounding
 * errors are much smaller, and even a slightly wrong triangle must be removed, or its neighbours
 * would be tilted. */
#define IN_FRONT 1e-10

enum { CORNERS = 3, INSIDE = -1 };

struct facet {
    struct convex_triangle triangle;
    struct vec3 normal;
    double dist;
    bool removed;
};

struct edge {
    int from, to;
};

/* A point outside of the hull so far, and the facet that it is farthest in front of. */
struct outsider {
    int facet; /* or INSIDE */
    double height;
};

struct builder {
    const struct vec3 *points;
    int count;
    double tolerance, in_front;
    struct facet *facets; /* stb_ds array */
    struct outsider *outsiders;
    struct edge *edges; /* stb_ds array, scratch: edges of the visible facets */
};

static double height_of(const struct facet *facet, struct vec3 point)
{
    return vec3_dot(facet->normal, point) - facet->dist;
}

static void add_facet(struct builder *builder, int a, int b, int c)
{
    const struct vec3 *p = builder->points;
    struct facet facet = {.triangle = {{a, b, c}}};
    facet.normal = vec3_normalize(vec3_cross(vec3_sub(p[b], p[a]), vec3_sub(p[c], p[a])));
    facet.dist = vec3_dot(facet.normal, p[a]);
    arrput(builder->facets, facet);
}

/* Finds a facet from `first` on that the point is in front of. */
static void assign_outsider(struct builder *builder, int point, int first)
{
    struct outsider *outsider = &builder->outsiders[point];
    *outsider = (struct outsider){INSIDE, builder->tolerance};
    for (int i = first; i < (int)arrlen(builder->facets); i++) {
        double height = height_of(&builder->facets[i], builder->points[point]);
        if (!builder->facets[i].removed && height > outsider->height)
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
    builder->in_front = vec3_length(way) * IN_FRONT;
    FARTHEST(builder, c, vec3_length(vec3_cross(vec3_sub(p, points[a]), way)));
    struct vec3 normal = vec3_normalize(vec3_cross(way, vec3_sub(points[c], points[a])));
    FARTHEST(builder, d, fabs(vec3_dot(normal, vec3_sub(p, points[a]))));
    double height = vec3_dot(normal, vec3_sub(points[d], points[a]));
    if (fabs(height) <= builder->tolerance)
        return false;
    if (height > 0) {
        int swap = b;
        b = c;
        c = swap;
    }
    add_facet(builder, a, b, c);
    add_facet(builder, a, d, b);
    add_facet(builder, b, d, c);
    add_facet(builder, c, d, a);
    for (int i = 0; i < builder->count; i++)
        assign_outsider(builder, i, 0);
    const int corners[] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
        builder->outsiders[corners[i]].facet = INSIDE;
    return true;
}

static void remove_visible(struct builder *builder, int point)
{
    arrsetlen(builder->edges, 0);
    for (int i = 0; i < (int)arrlen(builder->facets); i++) {
        struct facet *facet = &builder->facets[i];
        if (facet->removed || height_of(facet, builder->points[point]) <= builder->in_front)
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
        if (builder->outsiders[i].facet != INSIDE &&
            (best == INSIDE || builder->outsiders[i].height > builder->outsiders[best].height))
            best = i;
    return best;
}

/* Compacts the facets, so that later searches are short. */
static void remove_dead_facets(struct builder *builder, int first_new)
{
    int kept = 0;
    for (int i = 0; i < builder->count; i++) {
        struct outsider *outsider = &builder->outsiders[i];
        if (outsider->facet != INSIDE && builder->facets[outsider->facet].removed)
            assign_outsider(builder, i, first_new);
    }
    int *moved = memory_zalloc(arrlenu(builder->facets), sizeof *moved);
    for (int i = 0; i < (int)arrlen(builder->facets); i++) {
        moved[i] = kept;
        if (!builder->facets[i].removed)
            builder->facets[kept++] = builder->facets[i];
    }
    arrsetlen(builder->facets, (size_t)kept);
    for (int i = 0; i < builder->count; i++)
        if (builder->outsiders[i].facet != INSIDE)
            builder->outsiders[i].facet = moved[builder->outsiders[i].facet];
    memory_free(moved);
}

struct convex_triangle *convex_hull(const struct vec3 *points, int count, double tolerance)
{
    struct convex_triangle *triangles = NULL;
    struct builder builder = {.points = points, .count = count, .tolerance = tolerance};
    builder.outsiders = memory_zalloc((size_t)count + 1, sizeof *builder.outsiders);
    if (count > CORNERS && make_tetrahedron(&builder)) {
        int point;
        while ((point = farthest_outsider(&builder)) != INSIDE) {
            builder.outsiders[point].facet = INSIDE;
            remove_visible(&builder, point);
            int first_new = (int)arrlen(builder.facets);
            close_horizon(&builder, point);
            remove_dead_facets(&builder, first_new);
        }
        for (size_t i = 0; i < arrlenu(builder.facets); i++)
            arrput(triangles, builder.facets[i].triangle);
    }
    arrfree(builder.facets);
    arrfree(builder.edges);
    memory_free(builder.outsiders);
    return triangles;
}
