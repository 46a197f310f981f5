#include "vbsp/target/quake3/meta/meta.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"
#include "vbsp/faces/outline.h"
#include "vbsp/target/quake3/meta/meta_grow.h"
#include "vbsp/target/quake3/surfaces/surface.h"

/* --- triangles of polygons, within the limits of the engine --- */

typedef int triangulate(const struct vec3 *points, int count, int **indices);

static void triangulate_by(struct draw_surface *surface, triangulate *cut)
{
    struct vec3 *points = NULL;
    if (surface->type != SURFACE_PLANAR || surface->indices)
        return;
    for (size_t i = 0; i < arrlenu(surface->vertices); i++)
        arrput(points, surface->vertices[i].p);
    if (arrlenu(points) >= 3)
        cut(points, (int)arrlen(points), &surface->indices);
    if (!arrlenu(surface->indices)) {
        arrfree(surface->indices);
        arrsetlen(surface->vertices, 0);
    }
    arrfree(points);
}

void surface_triangulate(struct draw_surface *surface)
{
    triangulate_by(surface, triangulate_outline);
}

void surface_triangulate_largest(struct draw_surface *surface)
{
    triangulate_by(surface, triangulate_largest);
}

struct share {
    struct draw_surface surface;
    int *known; /* one per vertex of the whole: its number in this part, or -1 */
};

static void share_begin(struct share *share, const struct draw_surface *from)
{
    share->surface = draw_surface_like(from);
    for (size_t i = 0; i < arrlenu(from->vertices); i++)
        share->known[i] = -1;
}

static int share_missing(const struct share *share, const int triangle[3])
{
    int missing = 0;
    for (int k = 0; k < 3; k++)
        missing += share->known[triangle[k]] < 0;
    return missing;
}

static void share_add(struct share *share, const struct draw_surface *from, const int triangle[3])
{
    for (int k = 0; k < 3; k++) {
        int *known = &share->known[triangle[k]];
        if (*known < 0) {
            *known = (int)arrlen(share->surface.vertices);
            arrput(share->surface.vertices, from->vertices[triangle[k]]);
        }
        arrput(share->surface.indices, *known);
    }
}

/* Triangles keep their order: in a model's file adjacent ones are close. */
void surface_split(struct draw_surface *surface, const struct meta_limits *limits,
                   struct draw_surface **out)
{
    int max = surface->type == SURFACE_PLANAR ? limits->lightmapped_vertices : limits->vertices;
    if ((int)arrlen(surface->vertices) <= max && (int)arrlen(surface->indices) <= limits->indices) {
        arrput(*out, *surface);
        *surface = (struct draw_surface){0};
        return;
    }
    struct share share = {.known = memory_alloc(arrlenu(surface->vertices) * sizeof(int))};
    share_begin(&share, surface);
    for (size_t i = 0; i + 2 < arrlenu(surface->indices); i += 3) {
        const int *triangle = surface->indices + i;
        if ((int)arrlen(share.surface.vertices) + share_missing(&share, triangle) > max ||
            (int)arrlen(share.surface.indices) + 3 > limits->indices) {
            arrput(*out, share.surface);
            share_begin(&share, surface);
        }
        share_add(&share, surface, triangle);
    }
    if (arrlenu(share.surface.indices))
        arrput(*out, share.surface);
    memory_free(share.known);
    draw_surface_free(surface);
    *surface = (struct draw_surface){0};
}

/* --- normals that are smooth across the edges between surfaces --- */

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

/* --- surfaces of triangles that share what a surface must share --- */

/* Classifies triangles by what surfaces must share, and merges them.
 *
 * A surface starts at the first remaining triangle and always adds the adjacent one that needs the
 * fewest new vertices, the nearest of equals. So each triangle enters the heap a few times, and the
 * work is O(n log n). */

/* Planes this close are one, in units of the rounding below. */
#define NORMAL_STEPS 1e5
#define DIST_STEPS   64.0

/* A vertex normal that differs more from the plane's is curved. */
#define FLAT_NORMAL 1e-6

/* Vertex-lit surfaces are merged over gaps within boxes of this size, in units: the engine culls by
 * surface. */
#define NEIGHBOURHOOD 512.0

struct joiner {
    const struct draw_surface *surfaces;
    const struct meta_limits *limits;
    struct meta_triangle *triangles; /* stb_ds array */
    struct meta_part *parts;         /* stb_ds array */
};

static bool is_joined(const struct draw_surface *surface)
{
    return (surface->type == SURFACE_PLANAR || surface->type == SURFACE_MESH) &&
           arrlenu(surface->indices) >= 3;
}

/* True if all normals are that of the plane, and the shader does not ask to merge planes. */
static bool is_flat(const struct draw_surface *surface)
{
    if (!surface->planar || surface->shader->compile_flags & SHADER_NONPLANAR)
        return false;
    for (size_t i = 0; i < arrlenu(surface->vertices); i++)
        if (vec3_dot(surface->vertices[i].normal, surface->normal) < 1 - FLAT_NORMAL)
            return false;
    return true;
}

/* 0 to 5: the axial direction closest to the triangle's normal. */
static int side_of(const struct draw_surface *surface, const int *triangle)
{
    struct vec3 axis = surface->shader->lightmap_axis;
    if (vec3_length(axis) > 0)
        return 2 * vec3_major_axis(axis);
    struct vec3 a = surface->vertices[triangle[0]].p, b = surface->vertices[triangle[1]].p,
                c = surface->vertices[triangle[2]].p;
    struct vec3 normal =
        surface->planar ? surface->normal : vec3_cross(vec3_sub(c, a), vec3_sub(b, a));
    int major = vec3_major_axis(normal);
    return 2 * major + (normal.e[major] < 0);
}

/* Sets the class shared by the triangles of a merged surface; unused fields are zero. */
static void set_class(const struct draw_surface *surface, bool flat, struct meta_triangle *triangle)
{
    if (!surface->lightmapped)
        return;
    triangle->flat = flat;
    if (!flat) {
        triangle->side = side_of(surface, triangle->corners);
        return;
    }
    for (int i = 0; i < 3; i++)
        triangle->plane[i] = llround(surface->normal.e[i] * NORMAL_STEPS);
    triangle->plane[3] = llround(surface->dist * DIST_STEPS);
}

static void add_triangles(struct joiner *joiner, size_t number)
{
    const struct draw_surface *surface = &joiner->surfaces[number];
    bool flat = is_flat(surface);
    for (size_t i = 0; i + 2 < arrlenu(surface->indices); i += 3) {
        struct meta_triangle triangle = {.surface = number, .order = arrlenu(joiner->triangles)};
        for (size_t k = 0; k < 3; k++)
            triangle.corners[k] = surface->indices[i + k];
        set_class(surface, flat, &triangle);
        arrput(joiner->triangles, triangle);
    }
}

#define ORDER(a, b)                                                                                \
    do {                                                                                           \
        if ((a) < (b) || (a) > (b))                                                                \
            return (a) < (b) ? -1 : 1;                                                             \
    } while (0)

static int compare_surfaces(const struct draw_surface *a, const struct draw_surface *b)
{
    int names = a->shader == b->shader ? 0 : strcmp(a->shader->name, b->shader->name);
    if (names)
        return names;
    ORDER((uintptr_t)a->shader, (uintptr_t)b->shader);
    ORDER(a->lightmapped, b->lightmapped);
    ORDER(a->model, b->model);
    ORDER(a->fog, b->fog);
    ORDER(a->no_tjunctions, b->no_tjunctions);
    ORDER(a->apart, b->apart);
    ORDER(a->keys.sample_size, b->keys.sample_size);
    ORDER(a->keys.shade_angle, b->keys.shade_angle);
    ORDER(a->keys.cast_shadows, b->keys.cast_shadows);
    ORDER(a->keys.receive_shadows, b->keys.receive_shadows);
    for (int k = 0; k < 3; k++)
        ORDER(a->keys.ambient.e[k], b->keys.ambient.e[k]);
    return 0;
}

/* Surfaces are compared by rank, which is computed once. */
static int compare_classes(const struct meta_triangle *a, const struct meta_triangle *b)
{
    ORDER(a->rank, b->rank);
    ORDER(a->flat, b->flat);
    ORDER(a->side, b->side);
    for (int i = 0; i < 4; i++)
        ORDER(a->plane[i], b->plane[i]);
    return 0;
}

static int compare_triangles(const void *a, const void *b)
{
    const struct meta_triangle *one = a, *two = b;
    int order = compare_classes(one, two);
    return order ? order : one->order < two->order ? -1 : one->order > two->order;
}

struct ranked {
    const struct draw_surface *surface;
    size_t number;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *one = a, *two = b;
    int order = compare_surfaces(one->surface, two->surface);
    return order ? order : one->number < two->number ? -1 : one->number > two->number;
}

/* Surfaces that may be merged have equal ranks. */
static int *rank_surfaces(const struct draw_surface *surfaces)
{
    size_t count = arrlenu(surfaces);
    struct ranked *ranked = memory_alloc(count * sizeof *ranked);
    int *ranks = memory_alloc(count * sizeof *ranks), rank = 0;
    for (size_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){&surfaces[i], i};
    if (count > 1)
        qsort(ranked, count, sizeof *ranked, compare_ranked);
    for (size_t i = 0; i < count; i++) {
        if (i && compare_surfaces(ranked[i - 1].surface, ranked[i].surface))
            rank++;
        ranks[ranked[i].number] = rank;
    }
    memory_free(ranked);
    return ranks;
}

/* An image that turns does so about the middle of one surface, so that each disconnected part keeps
 * its own. */
static struct meta_growth growth_of(const struct joiner *joiner, const struct draw_surface *first,
                                    bool flat)
{
    const struct meta_limits *limits = joiner->limits;
    double sample = first->keys.sample_size > 0 ? first->keys.sample_size : limits->sample_size;
    struct meta_growth growth = {.vertices = limits->lightmapped_vertices,
                                 .indices = limits->indices,
                                 .reach = sample * limits->luxels,
                                 .sample_size = sample,
                                 .flat = flat,
                                 .connected = first->shader->compile_flags & SHADER_TURNS};
    if (!first->lightmapped) {
        growth.vertices = limits->vertices;
        growth.reach = NEIGHBOURHOOD;
        growth.sample_size = 0;
    }
    return growth;
}

static void join_classes(struct joiner *joiner)
{
    size_t count = arrlenu(joiner->triangles);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1;
             end < count && !compare_classes(&joiner->triangles[begin], &joiner->triangles[end]);)
            end++;
        struct meta_growth growth =
            growth_of(joiner, &joiner->surfaces[joiner->triangles[begin].surface],
                      joiner->triangles[begin].flat);
        meta_grow(joiner->surfaces, joiner->triangles + begin, end - begin, &growth,
                  &joiner->parts);
    }
}

static int compare_parts(const void *a, const void *b)
{
    const struct meta_part *one = a, *two = b;
    return one->order < two->order ? -1 : one->order > two->order;
}

static bool same_plane(const struct meta_triangle *a, const struct meta_triangle *b)
{
    return a->flat && b->flat && !compare_classes(a, b);
}

/* True if a part lies in one flat surface or plane. */
static bool part_is_planar(const struct joiner *joiner, const struct meta_part *part)
{
    const struct meta_triangle *first = part->triangles[0];
    if (!joiner->surfaces[first->surface].planar)
        return false;
    for (size_t i = 1; i < arrlenu(part->triangles); i++)
        if (part->triangles[i]->surface != first->surface && !same_plane(part->triangles[i], first))
            return false;
    return true;
}

static struct draw_surface surface_of(const struct joiner *joiner, struct meta_part *part)
{
    const struct draw_surface *first = &joiner->surfaces[part->triangles[0]->surface];
    struct draw_surface surface = draw_surface_like(first);
    surface.type = first->lightmapped ? SURFACE_PLANAR : SURFACE_MESH;
    surface.planar = part_is_planar(joiner, part);
    if (!surface.planar) {
        surface.normal = vec3(0, 0, 0);
        surface.dist = 0;
    }
    surface.vertices = part->vertices;
    surface.indices = part->indices;
    arrfree(part->triangles);
    return surface;
}

void surfaces_join(struct draw_surface **surfaces, const struct meta_limits *limits)
{
    struct joiner joiner = {.surfaces = *surfaces, .limits = limits};
    struct draw_surface *joined = NULL;
    for (size_t i = 0; i < arrlenu(*surfaces); i++)
        surface_triangulate(&(*surfaces)[i]);
    int *ranks = rank_surfaces(*surfaces);
    for (size_t i = 0; i < arrlenu(*surfaces); i++)
        if (is_joined(&(*surfaces)[i]))
            add_triangles(&joiner, i);
    for (size_t i = 0; i < arrlenu(joiner.triangles); i++)
        joiner.triangles[i].rank = ranks[joiner.triangles[i].surface];
    memory_free(ranks);
    if (arrlenu(joiner.triangles) > 1)
        qsort(joiner.triangles, arrlenu(joiner.triangles), sizeof *joiner.triangles,
              compare_triangles);
    join_classes(&joiner);
    if (arrlenu(joiner.parts) > 1)
        qsort(joiner.parts, arrlenu(joiner.parts), sizeof *joiner.parts, compare_parts);
    size_t at = 0;
    for (size_t i = 0; i < arrlenu(*surfaces); i++) {
        for (; at < arrlenu(joiner.parts) && joiner.parts[at].triangles[0]->surface == i; at++)
            arrput(joined, surface_of(&joiner, &joiner.parts[at]));
        if (is_joined(&(*surfaces)[i]))
            continue;
        if ((*surfaces)[i].type == SURFACE_PATCH || (*surfaces)[i].type == SURFACE_FLARE) {
            arrput(joined, (*surfaces)[i]);
            (*surfaces)[i] = (struct draw_surface){0};
        }
    }
    draw_surfaces_free(*surfaces);
    arrfree(joiner.triangles);
    arrfree(joiner.parts);
    *surfaces = joined;
}
