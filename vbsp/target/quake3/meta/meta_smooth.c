/* Smooths normals across the edges between surfaces. */
#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"
#include "vbsp/target/quake3/meta/meta.h"

/* Normals this close are one, so that many parts of one wall do not outweigh the next. */
#define SAME_NORMAL 1e-4

struct corner {
    struct vec3 p, normal;
    double cosine; /* cosine of the smoothing angle */
    int model;
    size_t surface, vertex;
};

static int compare_vec(struct vec3 a, struct vec3 b)
{
    for (int i = 0; i < 3; i++)
        if (a.e[i] < b.e[i] || a.e[i] > b.e[i])
            return a.e[i] < b.e[i] ? -1 : 1;
    return 0;
}

static int compare_places(const struct corner *a, const struct corner *b)
{
    if (a->model != b->model)
        return a->model < b->model ? -1 : 1;
    return compare_vec(a->p, b->p);
}

/* By position, then by normal, so that sums are independent of the order of the surfaces. */
static int compare_corners(const void *a, const void *b)
{
    const struct corner *one = a, *two = b;
    int order = compare_places(one, two);
    if (!order)
        order = compare_vec(one->normal, two->normal);
    if (!order && one->surface != two->surface)
        order = one->surface < two->surface ? -1 : 1;
    return order ? order : one->vertex < two->vertex ? -1 : one->vertex > two->vertex;
}

static double shade_angle_of(const struct draw_surface *surface, double otherwise)
{
    if (surface->keys.shade_angle < 0 || surface->keys.shade_angle > 0)
        return surface->keys.shade_angle;
    return surface->shader->shade_angle > 0 ? surface->shader->shade_angle : otherwise;
}

static void add_corners(struct corner **corners, const struct draw_surface *surface, size_t number,
                        double angle)
{
    for (size_t i = 0; i < arrlenu(surface->vertices); i++) {
        struct corner corner = {.p = surface->vertices[i].p,
                                .normal = surface->vertices[i].normal,
                                .cosine = portable_cos(portable_fmin(angle, 180) * DEGREE),
                                .model = surface->model,
                                .surface = number,
                                .vertex = i};
        arrput(*corners, corner);
    }
}

/* Averages the distinct normals around one corner. Two are smoothed if both of their angles allow
 * it; rounding at right angles is tolerated. */
static struct vec3 smoothed(const struct corner *group, size_t count, const struct corner *corner)
{
    const double rounding = 1e-6;
    struct vec3 sum = vec3(0, 0, 0);
    for (size_t i = 0; i < count; i++) {
        double cosine = portable_fmax(group[i].cosine, corner->cosine);
        bool counted = vec3_dot(group[i].normal, corner->normal) < cosine - rounding;
        for (size_t k = 0; k < i && !counted; k++)
            counted = vec3_distance(group[k].normal, group[i].normal) < SAME_NORMAL &&
                      vec3_dot(group[k].normal, corner->normal) >=
                          portable_fmax(group[k].cosine, corner->cosine) - rounding;
        if (!counted)
            sum = vec3_add(sum, group[i].normal);
    }
    return vec3_length(sum) > 1e-6 ? vec3_normalize(sum) : corner->normal;
}

void surfaces_smooth(struct draw_surface *surfaces, size_t count, double otherwise)
{
    struct corner *corners = NULL;
    for (size_t i = 0; i < count; i++) {
        double angle = shade_angle_of(&surfaces[i], otherwise);
        if (angle > 0 && (surfaces[i].type == SURFACE_PLANAR || surfaces[i].type == SURFACE_MESH))
            add_corners(&corners, &surfaces[i], i, angle);
    }
    if (arrlenu(corners) > 1)
        qsort(corners, arrlenu(corners), sizeof *corners, compare_corners);
    for (size_t begin = 0, end; begin < arrlenu(corners); begin = end) {
        for (end = begin + 1;
             end < arrlenu(corners) && !compare_places(&corners[begin], &corners[end]);)
            end++;
        for (size_t i = begin; i < end; i++)
            surfaces[corners[i].surface].vertices[corners[i].vertex].normal =
                smoothed(corners + begin, end - begin, &corners[i]);
    }
    arrfree(corners);
}
