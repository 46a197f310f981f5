#include "vrad/luxels/luxel.h"

#include "common/core/portable_math.h"

struct vec3 luxel_point(const struct luxel_map *map, const struct face_light *face,
                        struct point2 at, struct vec3 *normal)
{
    if (face->mesh) {
        double across = face->mesh->columns - 1, along = face->mesh->rows - 1;
        double u = face->width > 1 ? at.s / (face->width - 1) * across : 0;
        double v = face->height > 1 ? at.t / (face->height - 1) * along : 0;
        struct vec3 surface_normal;
        struct vec3 point =
            disp_mesh_at(face->mesh, portable_fmin(portable_fmax(u, 0), across),
                         portable_fmin(portable_fmax(v, 0), along), &surface_normal);
        if (normal)
            *normal = surface_normal;
        return point;
    }
    struct vec3 point = vec3_mad(face->origin, face->axis[0], at.s);
    point = vec3_mad(point, face->axis[1], at.t);
    if (normal) {
        int number = (int)(face - map->faces);
        struct vec3 offset = map->scene->model_origins[face->model];
        *normal = map->normals.phong[number]
                      ? vertex_normals_at(&map->normals, number, vec3_sub(point, offset))
                      : face->normal;
    }
    return point;
}

struct bounds luxel_face_bounds(const struct luxel_map *map, const struct face_light *face)
{
    struct bounds box = bounds_empty();
    for (int i = 0; i < face->corners && !face->mesh; i++)
        bounds_add_point(&box, luxel_point(map, face, face->polygon[i], NULL));
    for (int i = 0; face->mesh && i < face->mesh->columns * face->mesh->rows; i++)
        bounds_add_point(&box, face->mesh->points[i]);
    return box;
}

struct bounds luxel_curved_bounds(const struct luxel_map *map, const struct face_light *face,
                                  double s, double t)
{
    struct bounds box = bounds_empty();
    for (int i = 0; i < 9; i++) {
        struct point2 at = {s + 0.5 * (i % 3 - 1), t + 0.5 * (i / 3 - 1)};
        bounds_add_point(&box, luxel_point(map, face, at, NULL));
    }
    return box;
}

bool luxel_duals(const struct face_light *face, struct vec3 dual[2], double offset[2])
{
    const struct vec3 *axis = face->axis;
    double a = vec3_dot(axis[0], axis[0]), b = vec3_dot(axis[0], axis[1]);
    double c = vec3_dot(axis[1], axis[1]), det = a * c - b * b;
    dual[0] = vec3_scale(vec3_mad(vec3_scale(axis[0], c), axis[1], -b), 1 / det);
    dual[1] = vec3_scale(vec3_mad(vec3_scale(axis[1], a), axis[0], -b), 1 / det);
    for (int k = 0; k < 2; k++)
        offset[k] = -vec3_dot(dual[k], face->origin);
    return det > 0;
}

void luxel_bump_basis(const struct scene *scene, const struct face_light *face,
                      const struct luxel *luxel, struct vec3 basis[LUXEL_BUMPS])
{
    /* In tangent space: 120 degrees apart, all at the same angle to the normal. */
    static const double tangent[LUXEL_BUMPS][3] = {
        {0.816496580927726, 0, 0.5773502691896258},
        {-0.4082482904638631, 0.7071067811865475, 0.5773502691896258},
        {-0.4082482904638631, -0.7071067811865475, 0.5773502691896258},
    };
    struct vec3 axis[2], normal = vec3_from_floats(luxel_normal(face, luxel));
    for (int i = 0; i < 2; i++) {
        static const float across[2][3] = {{1, 0, 0}, {0, 1, 0}}, up[2][3] = {{0, 1, 0}, {0, 0, 1}};
        const float *v = fabs(normal.x) > 0.7 ? up[i] : across[i];
        if (face->face)
            v = scene->bsp->texinfo[face->face->texinfo].texture[i];
        axis[i] = vec3((double)v[0], (double)v[1], (double)v[2]);
    }
    bool left_handed = vec3_dot(face->normal, vec3_cross(axis[0], axis[1])) < 0;
    struct vec3 t = vec3_normalize(vec3_cross(normal, axis[0]));
    struct vec3 s = vec3_cross(t, normal);
    if (left_handed)
        t = vec3_neg(t);
    for (int i = 0; i < LUXEL_BUMPS; i++) {
        struct vec3 b = vec3_scale(s, tangent[i][0]);
        b = vec3_mad(b, t, tangent[i][1]);
        basis[i] = vec3_mad(b, normal, tangent[i][2]);
    }
}
