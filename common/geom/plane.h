/* Planes: points p with normal . p = dist; in front where it is greater. */
#ifndef GEOM_PLANE_H
#define GEOM_PLANE_H

#include "common/geom/vec.h"

/* Numbers of BSP files: axial along x, y, z, else by the major axis of the normal. */
enum plane_type { PLANE_X, PLANE_Y, PLANE_Z, PLANE_ANY_X, PLANE_ANY_Y, PLANE_ANY_Z };

struct plane {
    struct vec3 normal; /* unit length */
    double dist;
};

static inline double plane_distance(const struct plane *plane, struct vec3 p)
{
    return vec3_dot(plane->normal, p) - plane->dist;
}

static inline struct plane plane_flip(const struct plane *plane)
{
    return (struct plane){vec3_neg(plane->normal), -plane->dist};
}

/* Returns an axial type only for a normal that is exactly axial. */
enum plane_type plane_type(struct vec3 normal);

/* Plane through three points, normal = (a - b) x (c - b). Returns false when they are colinear. */
bool plane_from_points(struct vec3 a, struct vec3 b, struct vec3 c, struct plane *out);

/* Intersection of three planes; returns false when two are parallel. */
bool plane_intersection(const struct plane *a, const struct plane *b, const struct plane *c,
                        struct vec3 *out);

#endif
