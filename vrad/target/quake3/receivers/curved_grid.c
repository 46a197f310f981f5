/* Curved grids: receivers that are not flat, or whose normals differ from those of their plane. A
 * grid projected along an axis, with two nodes per luxel. */
#include <float.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vrad/target/quake3/receivers/receivers.h"

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

void quake3_build_curved_grid(struct quake3_light *q, struct receiver *receiver)
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
