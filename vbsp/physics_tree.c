/* The tree of boxes and spheres over the hulls of a solid. */
#include <stdlib.h>

#include "common/core/array.h"
#include "vbsp/physics_hull.h"

enum {
    CORNERS = 3,
    PARTS = 250,       /* of the radius, in which half extents are counted */
    DEEP = 64,         /* levels from which on halves are equal, so that the tree ends soon */
    SPLIT_MOST = 4096, /* hulls up to which every split is tried */
};

/* A hull while the tree is built. */
struct item {
    int32_t ledge;
    struct bounds bounds;
    struct vec3 middle;
};

struct builder {
    struct physics_solid *solid;
    struct item *items;
    double *areas; /* scratch, one an item */
};

static struct bounds ledge_bounds(const struct physics_solid *solid,
                                  const struct physics_ledge *ledge)
{
    struct bounds bounds = bounds_empty();
    for (int32_t i = 0; i < ledge->triangle_count * CORNERS; i++) {
        const struct physics_triangle *triangle =
            &solid->triangles[ledge->first_triangle + i / CORNERS];
        const float *p = solid->points[triangle->edges[i % CORNERS].point].p;
        bounds_add_point(&bounds, vec3((double)p[0], (double)p[1], (double)p[2]));
    }
    return bounds;
}

/* What the node's bytes say, which is a little more than what went in. */
static struct bounds node_bounds(const struct physics_node *node)
{
    struct bounds bounds;
    for (int i = 0; i < 3; i++) {
        double half = node->box[i] * (double)node->radius / PARTS;
        bounds.mins.e[i] = (double)node->centre[i] - half;
        bounds.maxs.e[i] = (double)node->centre[i] + half;
    }
    return bounds;
}

static void set_box(struct physics_node *node, const struct bounds *bounds)
{
    struct vec3 middle = bounds_center(bounds), half = vec3_sub(bounds->maxs, middle);
    double radius = vec3_length(half);
    node->radius = (float)radius;
    for (int i = 0; i < 3; i++) {
        node->centre[i] = (float)middle.e[i];
        node->box[i] = (uint8_t)(floor(PARTS * half.e[i] / radius) + 1);
    }
}

static double bounds_area(const struct bounds *bounds)
{
    struct vec3 d = vec3_sub(bounds->maxs, bounds->mins);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

#define COMPARE(axis)                                                                              \
    static int compare_##axis(const void *a, const void *b)                                        \
    {                                                                                              \
        const struct item *p = a, *q = b;                                                          \
        if (p->middle.axis < q->middle.axis || p->middle.axis > q->middle.axis)                    \
            return p->middle.axis < q->middle.axis ? -1 : 1;                                       \
        return (p->ledge > q->ledge) - (p->ledge < q->ledge);                                      \
    }
COMPARE(x)
COMPARE(y)
COMPARE(z)

static void sort_items(struct item *items, int count, int axis)
{
    static int (*const compare[3])(const void *, const void *) = {compare_x, compare_y, compare_z};
    qsort(items, (size_t)count, sizeof *items, compare[axis]);
}

/* The best place to cut the sorted items: what a query is likely to look at is least. */
static int cheapest_cut(struct builder *builder, const struct item *items, int count, double *cost)
{
    struct bounds bounds = bounds_empty();
    int best = 0;
    *cost = DBL_MAX;
    for (int i = 0; i < count; i++) {
        bounds_add(&bounds, &items[i].bounds);
        builder->areas[i] = bounds_area(&bounds) * (i + 1);
    }
    bounds = bounds_empty();
    for (int i = count - 1; i > 0; i--) {
        bounds_add(&bounds, &items[i].bounds);
        double sum = builder->areas[i - 1] + bounds_area(&bounds) * (count - i);
        if (sum < *cost) {
            *cost = sum;
            best = i;
        }
    }
    return best;
}

static int widest_axis(const struct item *items, int count)
{
    struct bounds bounds = bounds_empty();
    for (int i = 0; i < count; i++)
        bounds_add_point(&bounds, items[i].middle);
    return vec3_major_axis(vec3_sub(bounds.maxs, bounds.mins));
}

/* Orders the items and returns how many go to the first child. */
static int split(struct builder *builder, struct item *items, int count, int depth)
{
    if (count > SPLIT_MOST || depth >= DEEP) {
        sort_items(items, count, widest_axis(items, count));
        return count / 2;
    }
    int best_axis = 0, best = 0;
    double best_cost = DBL_MAX, cost;
    for (int axis = 0; axis < 3; axis++) {
        sort_items(items, count, axis);
        int cut = cheapest_cut(builder, items, count, &cost);
        if (cost < best_cost) {
            best_cost = cost;
            best_axis = axis;
            best = cut;
        }
    }
    sort_items(items, count, best_axis);
    return best ? best : count / 2;
}

/* Appends the nodes of the items, and returns the number of their root. */
static int32_t add_nodes(struct builder *builder, struct item *items, int count, int depth)
{
    int32_t number = (int32_t)arrlen(builder->solid->nodes);
    struct physics_node node = {.ledge = -1};
    if (count == 1) {
        node.ledge = items->ledge;
        set_box(&node, &items->bounds);
        arrput(builder->solid->nodes, node);
        return number;
    }
    arrput(builder->solid->nodes, node);
    int first = split(builder, items, count, depth);
    int32_t left = add_nodes(builder, items, first, depth + 1);
    int32_t right = add_nodes(builder, items + first, count - first, depth + 1);
    struct bounds bounds = node_bounds(&builder->solid->nodes[left]);
    struct bounds other = node_bounds(&builder->solid->nodes[right]);
    bounds_add(&bounds, &other);
    builder->solid->nodes[number].right = right;
    set_box(&builder->solid->nodes[number], &bounds);
    return number;
}

void physics_solid_make_tree(struct physics_solid *solid)
{
    int count = (int)arrlen(solid->ledges);
    struct builder builder = {.solid = solid};
    builder.items = memory_zalloc((size_t)count, sizeof *builder.items);
    builder.areas = memory_zalloc((size_t)count, sizeof *builder.areas);
    for (int i = 0; i < count; i++) {
        struct item *item = &builder.items[i];
        item->ledge = i;
        item->bounds = ledge_bounds(solid, &solid->ledges[i]);
        item->middle = bounds_center(&item->bounds);
    }
    arrsetlen(solid->nodes, 0);
    (void)add_nodes(&builder, builder.items, count, 0);
    memory_free(builder.items);
    memory_free(builder.areas);
}
