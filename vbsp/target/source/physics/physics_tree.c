/* Builds the tree of bounding boxes and spheres over the hulls of a solid. */
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "vbsp/target/source/physics/physics_hull.h"

enum {
    CORNERS = 3,
    EXTENT_STEPS = 250,  /* steps of the radius, the unit of half extents */
    BALANCED_DEPTH = 64, /* depth below which splits are balanced, so that the depth is bounded */
    SPLIT_MAX = 4096,    /* hulls up to which every split is evaluated */
};

/* A hull during construction. */
struct item {
    int32_t ledge;
    struct bounds bounds;
    struct vec3 middle;
};

/* Items are sorted once per axis; a range has the same items on each axis. */
struct builder {
    struct physics_solid *solid;
    struct item *items;
    int *order[3]; /* item numbers, sorted along each axis */
    int *scratch;
    bool *is_first; /* per item: it goes to the first child */
    double *areas;  /* scratch, one per item */
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

/* The bounds after rounding outwards to the node's bytes. */
static struct bounds node_bounds(const struct physics_node *node)
{
    struct bounds bounds;
    for (int i = 0; i < 3; i++) {
        double half = node->box[i] * (double)node->radius / (double)EXTENT_STEPS;
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
        node->box[i] = (uint8_t)(floor((double)EXTENT_STEPS * half.e[i] / radius) + 1);
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

static void sort_items(struct builder *builder, int count)
{
    static int (*const compare[3])(const void *, const void *) = {compare_x, compare_y, compare_z};
    struct item *sorted = memory_alloc((size_t)count * sizeof *sorted);
    for (int axis = 0; axis < 3; axis++) {
        memcpy(sorted, builder->items, (size_t)count * sizeof *sorted);
        qsort(sorted, (size_t)count, sizeof *sorted, compare[axis]);
        for (int i = 0; i < count; i++)
            builder->order[axis][i] = sorted[i].ledge;
    }
    memory_free(sorted);
}

/* The split of the sorted items with the lowest expected query cost. */
static int cheapest_cut(struct builder *builder, const int *order, int count, double *cost)
{
    struct bounds bounds = bounds_empty();
    int best = 0;
    *cost = DBL_MAX;
    for (int i = 0; i < count; i++) {
        bounds_add(&bounds, &builder->items[order[i]].bounds);
        builder->areas[i] = bounds_area(&bounds) * (i + 1);
    }
    bounds = bounds_empty();
    for (int i = count - 1; i > 0; i--) {
        bounds_add(&bounds, &builder->items[order[i]].bounds);
        double sum = builder->areas[i - 1] + bounds_area(&bounds) * (count - i);
        if (sum < *cost) {
            *cost = sum;
            best = i;
        }
    }
    return best;
}

static int widest_axis(const struct builder *builder, const int *order, int count)
{
    struct bounds bounds = bounds_empty();
    for (int i = 0; i < count; i++)
        bounds_add_point(&bounds, builder->items[order[i]].middle);
    return vec3_major_axis(vec3_sub(bounds.maxs, bounds.mins));
}

/* Stable partition: items of the first child first. */
static void partition(struct builder *builder, int *order, int count)
{
    int kept = 0, moved = 0;
    for (int i = 0; i < count; i++) {
        if (builder->is_first[order[i]])
            order[kept++] = order[i];
        else
            builder->scratch[moved++] = order[i];
    }
    memcpy(order + kept, builder->scratch, (size_t)moved * sizeof *order);
}

/* Partitions the range on all axes and returns the number of items of the first child. */
static int split_range(struct builder *builder, int first, int count, int depth)
{
    int best_axis = 0, best = 0;
    double best_cost = DBL_MAX, cost;
    if (count > SPLIT_MAX || depth >= BALANCED_DEPTH)
        best_axis = widest_axis(builder, builder->order[0] + first, count);
    else
        for (int axis = 0; axis < 3; axis++) {
            int cut = cheapest_cut(builder, builder->order[axis] + first, count, &cost);
            if (cost < best_cost) {
                best_cost = cost;
                best_axis = axis;
                best = cut;
            }
        }
    best = best ? best : count / 2;
    for (int i = 0; i < count; i++)
        builder->is_first[builder->order[best_axis][first + i]] = i < best;
    for (int axis = 0; axis < 3; axis++)
        if (axis != best_axis)
            partition(builder, builder->order[axis] + first, count);
    return best;
}

/* Appends the nodes of the items and returns the number of their root. */
static int32_t add_nodes(struct builder *builder, int first, int count, int depth)
{
    int32_t number = (int32_t)arrlen(builder->solid->nodes);
    struct physics_node node = {.ledge = -1};
    if (count == 1) {
        node.ledge = builder->order[0][first];
        set_box(&node, &builder->items[node.ledge].bounds);
        arrput(builder->solid->nodes, node);
        return number;
    }
    arrput(builder->solid->nodes, node);
    int cut = split_range(builder, first, count, depth);
    int32_t left = add_nodes(builder, first, cut, depth + 1);
    int32_t right = add_nodes(builder, first + cut, count - cut, depth + 1);
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
    struct arena arena = {0};
    builder.items = ARENA_ARRAY(&arena, struct item, (size_t)count);
    builder.areas = ARENA_ARRAY(&arena, double, (size_t)count);
    builder.scratch = ARENA_ARRAY(&arena, int, (size_t)count);
    builder.is_first = ARENA_ARRAY(&arena, bool, (size_t)count);
    for (int axis = 0; axis < 3; axis++)
        builder.order[axis] = ARENA_ARRAY(&arena, int, (size_t)count);
    for (int i = 0; i < count; i++) {
        struct item *item = &builder.items[i];
        item->ledge = i;
        item->bounds = ledge_bounds(solid, &solid->ledges[i]);
        item->middle = bounds_center(&item->bounds);
    }
    arrsetlen(solid->nodes, 0);
    sort_items(&builder, count);
    (void)add_nodes(&builder, 0, count, 0);
    arena_free(&arena);
}
