/* Lays out the luxels of surfaces. */
#include "vrad/target/quake3/receivers/receivers.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/texel_coverage.h"

/* --- curved grids --- */

/* Curved grids: receivers that are not flat, or whose normals differ from those of their plane. A
 * grid projected along an axis, with two nodes per luxel. */

enum { NODES_A_LUXEL = 2 };

struct curved_corner {
    double at[2]; /* luxel coordinates */
    struct vec3 p, normal;
};

struct curved_triangle {
    struct curved_corner corners[3];
    struct point2 shape[3];
    double area; /* twice, in luxels */
};

static struct curved_triangle *triangles_of(const struct quake3_light *q,
                                            const struct receiver *receiver)
{
    struct curved_triangle *out = NULL;
    for (ptrdiff_t n = 0; n < arrlen(receiver->surfaces); n++) {
        int number = receiver->surfaces[n];
        const struct bsp_surface *surface = &q->bsp->surfaces[number];
        struct vec3 origin = q->origins[q->surfaces[number].model];
        for (int i = 0; i + 2 < surface->index_count; i += 3) {
            struct curved_triangle triangle;
            for (int k = 0; k < 3; k++) {
                int index = q->bsp->draw_indices[surface->first_index + i + k];
                const struct bsp_draw_vertex *vertex =
                    &q->bsp->draw_vertices[surface->first_vertex + index];
                struct curved_corner *corner = &triangle.corners[k];
                quake3_luxel_at(q, number, index, corner->at);
                corner->p = vec3_add(vec3_from_floats(vertex->p), origin);
                corner->normal = vec3_from_floats(vertex->normal);
                triangle.shape[k] = (struct point2){corner->at[0], corner->at[1]};
            }
            const struct point2 *s = triangle.shape;
            triangle.area =
                (s[1].s - s[0].s) * (s[2].t - s[0].t) - (s[1].t - s[0].t) * (s[2].s - s[0].s);
            if (fabs(triangle.area) > 1e-6)
                arrput(out, triangle);
        }
    }
    return out;
}

static void weights_at(const struct curved_triangle *triangle, struct point2 at, double weights[3])
{
    const struct point2 *s = triangle->shape;
    for (int k = 0; k < 3; k++) {
        struct point2 a = s[(k + 1) % 3], b = s[(k + 2) % 3];
        double part = (b.s - a.s) * (at.t - a.t) - (b.t - a.t) * (at.s - a.s);
        weights[k] = part / triangle->area;
    }
}

/* The point of the surface over luxel coordinates, or the nearest one. */
static void point_over(const struct curved_triangle *triangles, struct point2 at,
                       struct vec3 *point, struct vec3 *normal)
{
    const struct curved_triangle *best = &triangles[0];
    struct point2 place = at;
    double min = DBL_MAX;
    for (ptrdiff_t i = 0; i < arrlen(triangles) && min > 0; i++) {
        struct point2 nearest = shape_nearest(triangles[i].shape, 3, at.s, at.t);
        double miss = portable_hypot(nearest.s - at.s, nearest.t - at.t);
        if (miss < min - 1e-9) {
            min = miss;
            best = &triangles[i];
            place = nearest;
        }
    }
    double weights[3];
    weights_at(best, place, weights);
    *point = *normal = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        *point = vec3_mad(*point, best->corners[k].p, weights[k]);
        *normal = vec3_mad(*normal, best->corners[k].normal, weights[k]);
    }
    struct vec3 plane = vec3_cross(vec3_sub(best->corners[2].p, best->corners[0].p),
                                   vec3_sub(best->corners[1].p, best->corners[0].p));
    if (!vec3_is_finite(*normal) || vec3_length(*normal) < 1e-3)
        *normal = plane;
    *normal = vec3_normalize(*normal);
}

/* The grid of a receiver that is not flat. */
static void quake3_build_curved_grid(struct quake3_light *q, struct receiver *receiver)
{
    struct luxel_receiver *light = &receiver->light;
    struct curved_triangle *triangles = triangles_of(q, receiver);
    if (!triangles) { /* degenerate in this projection: nothing to light */
        light->width = light->height = 0;
        receiver->stored = false;
        return;
    }
    struct disp_mesh *mesh = ARENA_NEW(&q->arena, struct disp_mesh);
    mesh->columns = NODES_A_LUXEL * (light->width - 1) + 1;
    mesh->rows = NODES_A_LUXEL * (light->height - 1) + 1;
    size_t count = (size_t)mesh->columns * (size_t)mesh->rows;
    mesh->points = ARENA_ARRAY(&q->arena, struct vec3, count);
    mesh->normals = ARENA_ARRAY(&q->arena, struct vec3, count);
    struct vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < (int)count; i++) {
        struct point2 at = {(double)(i % mesh->columns) / (double)NODES_A_LUXEL,
                            (double)(i / mesh->columns) / (double)NODES_A_LUXEL};
        point_over(triangles, at, &mesh->points[i], &mesh->normals[i]);
        mesh->points[i] = vec3_mad(mesh->points[i], mesh->normals[i], receiver->lift);
        sum = vec3_add(sum, mesh->normals[i]);
    }
    light->mesh = mesh;
    light->normal = vec3_normalize(sum);
    arrfree(triangles);
}

/* A surface is curved if a vertex is this far off its plane, in units, or a normal turns this far
 * from it. */
#define FLAT_DISTANCE 0.125
#define FLAT_COSINE   0.9995

/* Minimum size of luxels, in units. */
#define MIN_SIZE 1.0

#define DEFAULT_SIZE 16.0

/* Luxels are aligned to a world grid, so that neighbours match. Surfaces shorter than this, in
 * luxels, are not aligned if that saves a luxel. */
#define SMALL 12

/* Tolerance of curve subdivision, in units: the engine's best. */
#define CURVE_ERROR 2.0

/* The longest row of a patch counts up to so many times the mean. */
#define UNEVEN 1.25

/* For vertex lighting only, luxels are coarser by this factor. */
#define VERTEX_COARSER 4.0

enum { MAX_CORNERS = 60 };

static const struct bsp_draw_vertex *vertex_of(const struct quake3_light *q,
                                               const struct bsp_surface *surface, int index)
{
    return &q->bsp->draw_vertices[surface->first_vertex + index];
}

static struct vec3 place_of(const struct quake3_light *q, int surface, int index)
{
    const struct bsp_draw_vertex *vertex = vertex_of(q, &q->bsp->surfaces[surface], index);
    return vec3_add(vec3_from_floats(vertex->p), q->origins[q->surfaces[surface].model]);
}

/* ---- flat and curved surfaces ---- */

/* The plane of a surface: that of its triangles, on the side of its vertex normals. */
static bool find_plane(const struct quake3_light *q, int number, struct vec3 *normal)
{
    const struct bsp_surface *surface = &q->bsp->surfaces[number];
    struct vec3 sum = vec3(0, 0, 0), out = vec3(0, 0, 0);
    for (int i = 0; i + 2 < surface->index_count; i += 3) {
        const int32_t *corner = q->bsp->draw_indices + surface->first_index + i;
        struct vec3 a = place_of(q, number, corner[0]);
        struct vec3 cross = vec3_cross(vec3_sub(place_of(q, number, corner[2]), a),
                                       vec3_sub(place_of(q, number, corner[1]), a));
        for (int k = 0; k < 3; k++)
            out = vec3_add(out, vec3_from_floats(vertex_of(q, surface, corner[k])->normal));
        sum = vec3_add(sum, cross);
    }
    if (vec3_is_finite(out) && vec3_dot(out, sum) < 0)
        sum = vec3_neg(sum);
    *normal = vec3_normalize(sum);
    return vec3_is_finite(sum) && vec3_length(sum) > 0;
}

static bool is_flat(const struct quake3_light *q, int number, struct vec3 normal)
{
    const struct bsp_surface *surface = &q->bsp->surfaces[number];
    double dist = vec3_dot(normal, place_of(q, number, 0));
    for (int i = 0; i < surface->vertex_count; i++) {
        struct vec3 own = vec3_from_floats(vertex_of(q, surface, i)->normal);
        if (fabs(vec3_dot(normal, place_of(q, number, i)) - dist) > FLAT_DISTANCE)
            return false;
        if (vec3_is_finite(own) && vec3_length(own) > 0.5 && vec3_dot(own, normal) < FLAT_COSINE)
            return false;
    }
    return true;
}

bool quake3_flat_plane(const struct quake3_light *q, int surface, struct vec3 *normal, double *dist)
{
    if (q->bsp->surfaces[surface].type != SURFACE_PLANAR || !find_plane(q, surface, normal) ||
        !is_flat(q, surface, *normal))
        return false;
    *dist = vec3_dot(*normal, place_of(q, surface, 0));
    return true;
}

/* The projection axis of a surface; z in case of a near tie. */
static int seen_along(struct vec3 normal)
{
    double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
    if (z >= x - 1e-4 && z >= y - 1e-4)
        return 2;
    return x >= y - 1e-4 ? 0 : 1;
}

void quake3_luxel_axes(int axis, int out[2])
{
    out[0] = axis == 0 ? 1 : 0;
    out[1] = axis == 2 ? 1 : 2;
}

static double sample_size(const struct quake3_light *q, const struct quake3_material *material,
                          int surface)
{
    const struct surface_note *note = quake3_note(q, surface);
    const double asked = q->options->quake3.sample_size;
    double size = asked > 0 ? asked : DEFAULT_SIZE;
    if (material->shader && material->shader->lightmap_sample_size > 0)
        size = material->shader->lightmap_sample_size;
    /* A noted default is overridden by the option. */
    double noted = note ? (double)note->sample_size : 0;
    if (noted > 0 && (asked <= 0 || noted < DEFAULT_SIZE || noted > DEFAULT_SIZE))
        size = noted;
    size =
        portable_fmax(size * q->options->quake3.sample_scale, q->options->quake3.min_sample_size);
    return portable_fmax(size, MIN_SIZE);
}

struct bounds quake3_receiver_box(const struct quake3_light *q, const struct receiver *receiver)
{
    struct bounds box = bounds_empty();
    for (ptrdiff_t i = 0; i < arrlen(receiver->surfaces); i++)
        for (int k = 0; k < q->bsp->surfaces[receiver->surfaces[i]].vertex_count; k++)
            bounds_add_point(&box, place_of(q, receiver->surfaces[i], k));
    return box;
}

/* Sizes the luxels for all vertices of the receiver's surfaces, coarser if a page has too few. */
static void fit_to_page(const struct quake3_light *q, struct receiver *receiver)
{
    int axes[2];
    struct bounds box = quake3_receiver_box(q, receiver);
    quake3_luxel_axes(receiver->axis, axes);
    for (;; receiver->size += 1) {
        int sizes[2];
        for (int k = 0; k < 2; k++) {
            double low = floor(box.mins.e[axes[k]] / receiver->size + 1e-4);
            double high = ceil(box.maxs.e[axes[k]] / receiver->size - 1e-4);
            double extent = (box.maxs.e[axes[k]] - box.mins.e[axes[k]]) / receiver->size;
            double min = portable_fmax(ceil(extent - 1e-4), 1);
            bool moved = high - low > min && min < SMALL;
            if (moved)
                low = box.mins.e[axes[k]] / receiver->size - (min - extent) / 2;
            receiver->first[k] = low;
            sizes[k] = (int)portable_fmin(moved ? min : portable_fmax(high - low, 1), 1e6) + 1;
        }
        receiver->light.width = sizes[0];
        receiver->light.height = sizes[1];
        if (sizes[0] <= q->page_side && sizes[1] <= q->page_side)
            return;
    }
}

static int by_place(const void *a, const void *b)
{
    const struct point2 *x = a, *y = b;
    if (x->s != y->s)
        return x->s < y->s ? -1 : 1;
    if (x->t != y->t)
        return x->t < y->t ? -1 : 1;
    return portable_bits_order(x, y, sizeof *x); /* zeros have signs */
}

static double turn(struct point2 a, struct point2 b, struct point2 c)
{
    return (b.s - a.s) * (c.t - a.t) - (b.t - a.t) * (c.s - a.s);
}

/* The convex hull of `count` points, into out, which has room for 2 * count. */
static int hull_of(struct point2 *points, int count, struct point2 *out)
{
    int kept = 0;
    qsort(points, (size_t)count, sizeof *points, by_place);
    for (int pass = 0, low = 0; pass < 2; pass++, low = kept) {
        for (int n = pass ? 1 : 0; n < count; n++) {
            struct point2 p = points[pass ? count - 1 - n : n];
            while (kept - low >= (pass ? 1 : 2) && kept >= 2 &&
                   turn(out[kept - 2], out[kept - 1], p) <= 1e-9)
                kept--;
            out[kept++] = p;
        }
    }
    return kept > 1 ? kept - 1 : kept; /* the first point is repeated */
}

static void flat_shape(struct quake3_light *q, struct receiver *receiver, struct vec3 normal)
{
    struct luxel_receiver *light = &receiver->light;
    int axes[2], count = 0, c = receiver->axis;
    quake3_luxel_axes(c, axes);
    double dist = vec3_dot(normal, place_of(q, receiver->surfaces[0], 0)) + receiver->lift;
    light->normal = normal;
    for (int k = 0; k < 2; k++) {
        light->axis[k] = vec3(0, 0, 0);
        light->axis[k].e[axes[k]] = receiver->size;
        light->axis[k].e[c] = -normal.e[axes[k]] / normal.e[c] * receiver->size;
        light->origin.e[axes[k]] = receiver->first[k] * receiver->size;
    }
    light->origin.e[c] = (dist - normal.e[axes[0]] * light->origin.e[axes[0]] -
                          normal.e[axes[1]] * light->origin.e[axes[1]]) /
                         normal.e[c];
    for (ptrdiff_t i = 0; i < arrlen(receiver->surfaces); i++)
        count += q->bsp->surfaces[receiver->surfaces[i]].vertex_count;
    struct point2 *points = ARENA_ARRAY(&q->arena, struct point2, (size_t)count);
    struct point2 *hull = ARENA_ARRAY(&q->arena, struct point2, 2 * (size_t)count + 2);
    count = 0;
    for (ptrdiff_t i = 0; i < arrlen(receiver->surfaces); i++) {
        for (int k = 0; k < q->bsp->surfaces[receiver->surfaces[i]].vertex_count; k++) {
            double st[2];
            quake3_luxel_at(q, receiver->surfaces[i], k, st);
            points[count++] = (struct point2){st[0], st[1]};
        }
    }
    light->polygon = hull;
    light->corners = hull_of(points, count, hull);
    int step = 1 + (light->corners - 1) / MAX_CORNERS;
    for (int i = 0; i * step < light->corners; i++)
        hull[i] = hull[i * step];
    light->corners = (light->corners + step - 1) / step;
}

/* ---- patches ---- */

/* Length of a patch along its rows, or columns. Where they differ much, as at a pointed end, less
 * than the longest is enough. */
static double length_of(const struct patch_surface *patch, bool down)
{
    double max = 0, sum = 0;
    for (int i = 0; i < (down ? patch->columns : patch->rows); i++) {
        double length = 0;
        for (int j = 1; j < (down ? patch->rows : patch->columns); j++) {
            int from = down ? (j - 1) * patch->columns + i : i * patch->columns + j - 1;
            int to = down ? j * patch->columns + i : i * patch->columns + j;
            length += vec3_distance(patch->points[from].p, patch->points[to].p);
        }
        max = portable_fmax(max, length);
        sum += length;
    }
    return portable_fmin(max, UNEVEN * sum / (down ? patch->columns : patch->rows));
}

static void fit_patch(const struct quake3_light *q, int surface, struct receiver *receiver)
{
    const struct patch_surface *patch = &q->surfaces[surface].patch;
    int sizes[2];
    for (int k = 0; k < 2; k++) {
        double luxels = ceil(length_of(patch, k == 1) / receiver->size - 1e-4);
        sizes[k] = (int)portable_fmin(portable_fmax(luxels, 1), q->page_side - 1) + 1;
    }
    receiver->light.width = sizes[0];
    receiver->light.height = sizes[1];
}

static void patch_shape(struct quake3_light *q, int surface, struct receiver *receiver)
{
    const struct patch_surface *patch = &q->surfaces[surface].patch;
    struct vec3 origin = q->origins[q->surfaces[surface].model], sum = vec3(0, 0, 0);
    size_t count = (size_t)patch->columns * (size_t)patch->rows;
    struct disp_mesh *mesh = ARENA_NEW(&q->arena, struct disp_mesh);
    mesh->columns = patch->columns;
    mesh->rows = patch->rows;
    mesh->points = ARENA_ARRAY(&q->arena, struct vec3, count);
    mesh->normals = ARENA_ARRAY(&q->arena, struct vec3, count);
    for (size_t i = 0; i < count; i++) {
        mesh->normals[i] = patch->points[i].normal;
        mesh->points[i] =
            vec3_mad(vec3_add(patch->points[i].p, origin), mesh->normals[i], receiver->lift);
        sum = vec3_add(sum, mesh->normals[i]);
    }
    receiver->light.mesh = mesh;
    receiver->light.normal = vec3_normalize(sum);
}

void quake3_luxel_at(const struct quake3_light *q, int surface, int index, double st[2])
{
    const struct lit_surface *lit = &q->surfaces[surface];
    const struct receiver *receiver = &q->receivers[lit->receiver];
    if (receiver->axis < 0) {
        const int32_t *size = q->bsp->surfaces[surface].patch_size;
        st[0] = (double)(index % size[0]) / (size[0] - 1) * (receiver->light.width - 1);
        st[1] = (double)(index / size[0]) / (size[1] - 1) * (receiver->light.height - 1);
        return;
    }
    int axes[2];
    quake3_luxel_axes(receiver->axis, axes);
    struct vec3 p = place_of(q, surface, index);
    for (int k = 0; k < 2; k++)
        st[k] = p.e[axes[k]] / receiver->size - receiver->first[k];
}

/* ---- used luxels ---- */

/* Marks the luxels of a rectangle that texture filtering uses when the surfaces are drawn. The
 * others, in concave corners and beside slopes, need neither light nor room in a page. */
static void find_used(struct quake3_light *q, struct receiver *receiver)
{
    int width = receiver->light.width, height = receiver->light.height;
    size_t words = (size_t)height * (size_t)texel_words(width);
    receiver->used_mask = ARENA_ARRAY(&q->arena, uint64_t, words + 1);
    if (receiver->axis < 0) { /* patches use all of theirs */
        memset(receiver->used_mask, 0xff, words * sizeof *receiver->used_mask);
        return;
    }
    for (ptrdiff_t n = 0; n < arrlen(receiver->surfaces); n++) {
        const struct bsp_surface *surface = &q->bsp->surfaces[receiver->surfaces[n]];
        for (int i = 0; i + 2 < surface->index_count; i += 3) {
            double corners[3][2];
            for (int k = 0; k < 3; k++)
                quake3_luxel_at(q, receiver->surfaces[n],
                                q->bsp->draw_indices[surface->first_index + i + k], corners[k]);
            texel_coverage(corners, width, height, receiver->used_mask);
        }
    }
}

bool quake3_is_used(const struct receiver *receiver, int luxel)
{
    int width = receiver->light.width;
    return texel_is_set(receiver->used_mask, width, luxel % width, luxel / width);
}

void quake3_skip_unused(const struct quake3_light *q, struct luxel_map *map)
{
    int fronts = (int)arrlen(q->receivers);
    for (int i = 0; i < map->face_count; i++) {
        const struct receiver *receiver = &q->receivers[i < fronts ? i : q->backs[i - fronts]];
        for (int k = 0; k < map->faces[i].count; k++)
            if (!quake3_is_used(receiver, k)) {
                map->faces[i].luxels[k].hidden = true;
                map->faces[i].luxels[k].area = 0;
            }
    }
}

/* ---- all ---- */

static void finish_receiver(struct quake3_light *q, struct receiver *receiver)
{
    int surface = receiver->surfaces[0];
    if (receiver->axis >= 0)
        fit_to_page(q, receiver);
    else
        fit_patch(q, surface, receiver);
    const struct quake3_material *material = q->surfaces[surface].material;
    receiver->light.bumped = q->options->quake3.deluxe && receiver->stored;
    receiver->light.model = q->surfaces[surface].model;
    receiver->light.no_occlusion =
        material->shader && material->shader->compile_flags & SHADER_NO_DIRTY;
    receiver->lift = material->shader ? material->shader->lightmap_sample_offset : 0;
    memcpy(receiver->light.reflectivity, material->reflectivity, sizeof material->reflectivity);
    struct vec3 normal;
    if (receiver->axis < 0)
        patch_shape(q, surface, receiver);
    else if (find_plane(q, surface, &normal) && is_flat(q, surface, normal))
        flat_shape(q, receiver, normal);
    else
        quake3_build_curved_grid(q, receiver);
    find_used(q, receiver);
}

static void add_receiver(struct quake3_light *q, int surface)
{
    const struct bsp_surface *from = &q->bsp->surfaces[surface];
    struct lit_surface *lit = &q->surfaces[surface];
    struct receiver receiver = {.size = sample_size(q, lit->material, surface),
                                .stored = lit->material->lightmapped,
                                .axis = -1};
    struct vec3 normal;
    const struct surface_note *note = quake3_note(q, surface);
    if (note && !(note->sample_size > 0))
        receiver.stored = false;
    receiver.light.no_shadows = (note && note->receive_shadows == 0) || q->options->quake3.no_trace;
    if (from->type == SURFACE_PATCH) {
        if (!lit->patch.points)
            return;
    } else {
        if (from->type != SURFACE_PLANAR || !find_plane(q, surface, &normal))
            return;
        for (int i = 0; i < from->vertex_count; i++)
            if (!vec3_is_finite(place_of(q, surface, i)))
                return;
        receiver.axis = seen_along(normal);
    }
    if (!receiver.stored)
        receiver.size *= VERTEX_COARSER;
    arrput(receiver.surfaces, surface);
    lit->receiver = (int)arrlen(q->receivers);
    arrput(q->receivers, receiver);
}

/* The leaves that list the surfaces of each receiver. */
static void list_leaves(struct quake3_light *q)
{
    const struct bsp *bsp = q->bsp;
    size_t count = arrlenu(q->receivers);
    int **leaves = memory_zalloc(count + 1, sizeof *leaves);
    for (ptrdiff_t i = 0; i < arrlen(bsp->leaves); i++) {
        const struct bsp_leaf *leaf = &bsp->leaves[i];
        for (int k = 0; k < leaf->face_count && leaf->cluster >= 0; k++) {
            int at = q->surfaces[bsp->leaf_faces[leaf->first_face + k]].receiver;
            if (at >= 0 && (!arrlen(leaves[at]) || arrlast(leaves[at]) != (int)i))
                arrput(leaves[at], (int)i);
        }
    }
    for (size_t i = 0; i < count; i++) {
        size_t room = arrlenu(leaves[i]);
        int *kept = ARENA_ARRAY(&q->arena, int, room + 1);
        if (room)
            memcpy(kept, leaves[i], room * sizeof *kept);
        q->receivers[i].light.leaves = kept;
        q->receivers[i].light.leaf_count = (int)room;
        arrfree(leaves[i]);
    }
    memory_free(leaves);
}

void quake3_lay_out(struct quake3_light *q)
{
    const struct bsp *bsp = q->bsp;
    size_t count = arrlenu(bsp->surfaces);
    quake3_smooth(q);
    q->surfaces = ARENA_ARRAY(&q->arena, struct lit_surface, count + 1);
    for (ptrdiff_t m = 0; m < arrlen(bsp->models); m++)
        for (int i = 0; i < bsp->models[m].face_count; i++)
            q->surfaces[bsp->models[m].first_face + i].model = (int)m;
    for (size_t i = 0; i < count; i++) {
        const struct bsp_surface *surface = &bsp->surfaces[i];
        struct lit_surface *lit = &q->surfaces[i];
        lit->material = &q->materials[surface->shader];
        lit->receiver = -1;
        if (surface->type == SURFACE_PATCH &&
            !patch_surface_build(bsp, surface, CURVE_ERROR, 0, &q->arena, &lit->patch))
            lit->patch.points = NULL;
        if (lit->material->drawn && surface->vertex_count > 0)
            add_receiver(q, (int)i);
    }
    quake3_merge_flat(q);
    for (ptrdiff_t i = 0; i < arrlen(q->receivers); i++)
        finish_receiver(q, &q->receivers[i]);
    list_leaves(q);
}

void quake3_receivers_free(struct quake3_light *q)
{
    for (ptrdiff_t i = 0; i < arrlen(q->receivers); i++) {
        arrfree(q->receivers[i].surfaces);
        memory_free(q->receivers[i].colours);
    }
    arrfree(q->receivers);
}
