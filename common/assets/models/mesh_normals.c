#include "common/assets/models/mesh_normals.h"

#include <stdlib.h>

#include "common/core/memory.h"

/* Cosine up to which a normal counts as lying in a plane; beyond it, as pointing away. */
#define ALONG 0.01
/* Cosine of the angle to the z axis from which a normal points up. */
#define UP 0.999

enum {
    MOST_GROUPS = 64 /* sets of groups around a point; the triangles of further ones stay flat */
};

/* A corner of a triangle, to be sorted with those that it shares something with. */
struct corner {
    int32_t point, index; /* index: three times the triangle, plus the corner */
    uint32_t groups;
    struct vec3 shared; /* its normal or its position */
};

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_corners(const void *a, const void *b)
{
    const struct corner *one = a, *two = b;
    int order = compare_numbers(one->point, two->point);
    for (int i = 0; !order && i < 3; i++)
        order = compare_numbers(one->shared.e[i], two->shared.e[i]);
    if (!order)
        order = compare_numbers(one->groups, two->groups);
    return order ? order : compare_numbers(one->index, two->index);
}

/* Twice the area long; 0 0 0 for a triangle without area. */
static struct vec3 front_of(const struct mesh_triangle *triangle)
{
    const struct mesh_vertex *v = triangle->corners;
    return vec3_cross(vec3_sub(v[2].p, v[0].p), vec3_sub(v[1].p, v[0].p));
}

static bool is_set(struct vec3 v)
{
    return vec3_length(v) > 0;
}

/* By points of the file and normals; or by positions, because files repeat points where textures
 * end, while smoothing goes on. */
static struct corner *sorted_corners(const struct mesh_triangle *triangles, size_t count,
                                     bool by_position)
{
    struct corner *corners = memory_alloc(3 * count * sizeof *corners);
    for (size_t i = 0; i < 3 * count; i++) {
        const struct mesh_triangle *triangle = &triangles[i / 3];
        const struct mesh_vertex *vertex = &triangle->corners[i % 3];
        corners[i] = (struct corner){.point = by_position ? 0 : triangle->points[i % 3],
                                     .index = (int32_t)i,
                                     .groups = triangle->groups,
                                     .shared = by_position ? vertex->p : vertex->normal};
    }
    qsort(corners, 3 * count, sizeof *corners, compare_corners);
    return corners;
}

static bool contradicts(double cosine, struct vec3 normal)
{
    return cosine < -ALONG || (cosine <= ALONG && normal.z < UP);
}

/* The cosine between a corner's normal and its own triangle; false when either is missing. */
static bool own_cosine(const struct mesh_triangle *triangles, const struct corner *corner,
                       double *out)
{
    struct vec3 front = front_of(&triangles[corner->index / 3]);
    if (!is_set(corner->shared) || !is_set(front))
        return false;
    *out = vec3_dot(corner->shared, vec3_normalize(front));
    return true;
}

static bool same_place(const struct corner *a, const struct corner *b)
{
    return a->point == b->point && !(vec3_distance(a->shared, b->shared) > 0);
}

static struct vec3 *normal_of(struct mesh_triangle *triangles, const struct corner *corner)
{
    return &triangles[corner->index / 3].corners[corner->index % 3].normal;
}

static size_t remove_normals(struct mesh_triangle *triangles, const struct corner *corners,
                             size_t count)
{
    size_t removed = 0;
    for (size_t i = 0; i < count; i++) {
        removed += is_set(corners[i].shared);
        *normal_of(triangles, &corners[i]) = vec3(0, 0, 0);
    }
    return removed;
}

/* Removes those of the corners that share a point and a normal if it contradicts all triangles. */
static size_t judge_shared(struct mesh_triangle *triangles, const struct corner *corners,
                           size_t count)
{
    double best = -2, cosine;
    for (size_t i = 0; i < count; i++)
        if (own_cosine(triangles, &corners[i], &cosine) && cosine > best)
            best = cosine;
    if (best < -1.5 || !contradicts(best, corners->shared))
        return 0;
    return remove_normals(triangles, corners, count);
}

static void remove_contradicting(struct mesh_triangle *triangles, size_t count,
                                 struct mesh_normal_counts *counts)
{
    struct corner *corners = sorted_corners(triangles, count, false);
    size_t judged = 0, wrong = 0;
    for (size_t i = 0; i < 3 * count; i++) {
        double cosine;
        if (!own_cosine(triangles, &corners[i], &cosine))
            continue;
        judged++;
        wrong += contradicts(cosine, corners[i].shared);
    }
    counts->judged += (int32_t)judged;
    if (wrong && 2 * wrong >= judged) {
        counts->contradicting += (int32_t)remove_normals(triangles, corners, 3 * count);
    } else {
        for (size_t i = 0, end; wrong && i < 3 * count; i = end) {
            for (end = i + 1; end < 3 * count && same_place(&corners[i], &corners[end]);)
                end++;
            counts->contradicting += (int32_t)judge_shared(triangles, corners + i, end - i);
        }
    }
    memory_free(corners);
}

struct group_sum {
    uint32_t groups;
    struct vec3 sum;
};

/* The corners of one point, sorted by groups. */
static void smooth_point(struct mesh_triangle *triangles, const struct corner *corners,
                         size_t count)
{
    struct group_sum sums[MOST_GROUPS];
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        struct vec3 front = front_of(&triangles[corners[i].index / 3]);
        bool is_same = used && sums[used - 1].groups == corners[i].groups;
        if (is_same)
            sums[used - 1].sum = vec3_add(sums[used - 1].sum, front);
        else if (used < MOST_GROUPS)
            sums[used++] = (struct group_sum){corners[i].groups, front};
    }
    for (size_t i = 0; i < count; i++) {
        struct vec3 *normal = normal_of(triangles, &corners[i]), sum = vec3(0, 0, 0);
        if (is_set(*normal))
            continue;
        for (size_t k = 0; k < used; k++)
            if (sums[k].groups & corners[i].groups)
                sum = vec3_add(sum, sums[k].sum);
        *normal = vec3_normalize(is_set(sum) ? sum : front_of(&triangles[corners[i].index / 3]));
    }
}

static void smooth_by_groups(struct mesh_triangle *triangles, size_t count)
{
    struct corner *corners = sorted_corners(triangles, count, true);
    for (size_t i = 0, end; i < 3 * count; i = end) {
        for (end = i + 1; end < 3 * count && same_place(&corners[i], &corners[end]);)
            end++;
        smooth_point(triangles, corners + i, end - i);
    }
    memory_free(corners);
}

void mesh_normals_settle(struct mesh_triangle *triangles, size_t count,
                         struct mesh_normal_counts *counts)
{
    uint32_t groups = 0;
    if (!count || count > INT32_MAX / 3)
        return;
    remove_contradicting(triangles, count, counts);
    for (size_t i = 0; i < count; i++)
        groups |= triangles[i].groups;
    if (groups)
        smooth_by_groups(triangles, count);
}
