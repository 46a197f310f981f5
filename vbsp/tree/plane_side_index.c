#include "vbsp/tree/plane_side_index.h"

#include <stdlib.h>

#include "common/core/portable_math.h"

/* Extent of a fragment along an axis. */
struct extent {
    double low, high;
    int fragment;
};

struct axis_index {
    struct extent *extents; /* sorted by low end */
    double *highs;          /* sorted */
    /* Segment tree over the extents, leaf `leaves + i` for the i-th and the root at 1: the maximum
     * of the high ends below. */
    double *max;
};

struct facing {
    int plane, fragment;
};

struct plane_side_index {
    const struct plane_set *planes;
    int count, leaves; /* a power of two */
    struct brush **fragments;
    struct axis_index axes[3];
    struct facing *facing; /* one per side, sorted by plane and fragment */
    int facing_count;
    struct brush **near;
    int near_count;
    int last_search, *searches; /* per fragment: the last search that found it */
};

static int compare_doubles(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_lows(const void *a, const void *b)
{
    const struct extent *x = a, *y = b;
    int order = compare_doubles(x->low, y->low);
    return order ? order : (x->fragment > y->fragment) - (x->fragment < y->fragment);
}

static int compare_highs(const void *a, const void *b)
{
    return compare_doubles(*(const double *)a, *(const double *)b);
}

static int compare_facing(const void *a, const void *b)
{
    const struct facing *x = a, *y = b;
    if (x->plane != y->plane)
        return x->plane < y->plane ? -1 : 1;
    return (x->fragment > y->fragment) - (x->fragment < y->fragment);
}

static void index_axis(struct arena *arena, struct plane_side_index *index, int axis)
{
    struct axis_index *out = &index->axes[axis];
    size_t count = (size_t)index->count, leaves = (size_t)index->leaves;
    out->extents = ARENA_ARRAY(arena, struct extent, count);
    out->highs = ARENA_ARRAY(arena, double, count);
    out->max = ARENA_ARRAY(arena, double, 2 * leaves);
    for (size_t i = 0; i < count; i++) {
        const struct bounds *bounds = &index->fragments[i]->bounds;
        out->extents[i] = (struct extent){bounds->mins.e[axis], bounds->maxs.e[axis], (int)i};
        out->highs[i] = bounds->maxs.e[axis];
    }
    qsort(out->extents, count, sizeof *out->extents, compare_lows);
    qsort(out->highs, count, sizeof *out->highs, compare_highs);
    for (size_t i = 0; i < leaves; i++)
        out->max[leaves + i] = i < count ? out->extents[i].high : -DBL_MAX;
    for (size_t i = leaves - 1; i > 0; i--)
        out->max[i] = portable_fmax(out->max[2 * i], out->max[2 * i + 1]);
}

static void index_sides(struct arena *arena, struct plane_side_index *index)
{
    int sides = 0;
    for (int i = 0; i < index->count; i++)
        sides += index->fragments[i]->side_count;
    index->facing = ARENA_ARRAY(arena, struct facing, (size_t)sides);
    for (int i = 0; i < index->count; i++)
        for (int k = 0; k < index->fragments[i]->side_count; k++)
            index->facing[index->facing_count++] =
                (struct facing){index->fragments[i]->sides[k].plane & ~1, i};
    qsort(index->facing, (size_t)sides, sizeof *index->facing, compare_facing);
}

struct plane_side_index *plane_side_index_new(struct arena *arena, const struct plane_set *planes,
                                              struct brush *fragments)
{
    struct plane_side_index *index = ARENA_NEW(arena, struct plane_side_index);
    index->planes = planes;
    for (const struct brush *fragment = fragments; fragment; fragment = fragment->next)
        index->count++;
    index->fragments = ARENA_ARRAY(arena, struct brush *, (size_t)index->count);
    index->near = ARENA_ARRAY(arena, struct brush *, (size_t)index->count);
    index->searches = ARENA_ARRAY(arena, int, (size_t)index->count);
    for (int i = 0; fragments; fragments = fragments->next)
        index->fragments[i++] = fragments;
    for (index->leaves = 1; index->leaves < index->count;)
        index->leaves *= 2;
    for (int axis = 0; axis < 3; axis++)
        index_axis(arena, index, axis);
    index_sides(arena, index);
    return index;
}

static void add_near(struct plane_side_index *index, int fragment)
{
    if (index->searches[fragment] == index->last_search)
        return;
    index->searches[fragment] = index->last_search;
    index->near[index->near_count++] = index->fragments[fragment];
}

static void add_facing(struct plane_side_index *index, int plane)
{
    int low = 0, high = index->facing_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (index->facing[middle].plane < plane)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < index->facing_count && index->facing[low].plane == plane; low++)
        add_near(index, index->facing[low].fragment);
}

/* Adds those of the first `end` extents that reach beyond `dist`. */
static void add_crossing(struct plane_side_index *index, int axis, int end, double dist)
{
    const struct axis_index *along = &index->axes[axis];
    struct {
        int node, first, width;
    } stack[64];
    int depth = 0;
    stack[depth].node = 1;
    stack[depth].first = 0;
    stack[depth++].width = index->leaves;
    while (depth) {
        int node = stack[--depth].node, first = stack[depth].first, width = stack[depth].width;
        if (first >= end || !(along->max[node] > dist))
            continue;
        if (width == 1) {
            add_near(index, along->extents[first].fragment);
            continue;
        }
        for (int i = 0; i < 2; i++, depth++) {
            stack[depth].node = 2 * node + i;
            stack[depth].first = first + i * (width / 2);
            stack[depth].width = width / 2;
        }
    }
}

/* Number of low ends below `dist`. */
static int count_lows(const struct axis_index *along, int count, double dist)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (along->extents[middle].low < dist)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Number of high ends above `dist`. */
static int count_highs(const struct axis_index *along, int count, double dist)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (along->highs[middle] > dist)
            high = middle;
        else
            low = middle + 1;
    }
    return count - low;
}

struct brush **plane_side_index_near(struct plane_side_index *index, int plane, int *count,
                                     int *front, int *back)
{
    enum plane_type axis = index->planes->types[plane];
    *front = *back = 0;
    *count = index->count;
    if (axis > PLANE_Z)
        return index->fragments;
    double dist = index->planes->planes[plane].dist;
    double above = dist + BOX_EPSILON, below = dist - BOX_EPSILON;
    const struct axis_index *along = &index->axes[axis];
    index->last_search++;
    index->near_count = 0;
    *back = count_lows(along, index->count, below);
    *front = count_highs(along, index->count, above);
    add_facing(index, plane);
    add_crossing(index, (int)axis, *back, above);
    *count = index->near_count;
    for (int i = 0; i < *count; i++) {
        *back -= index->near[i]->bounds.mins.e[axis] < below;
        *front -= index->near[i]->bounds.maxs.e[axis] > above;
    }
    return index->near;
}
