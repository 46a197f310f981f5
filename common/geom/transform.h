/* Translation, rotation and scale from model space to map space. */
#ifndef GEOM_TRANSFORM_H
#define GEOM_TRANSFORM_H

#include "common/core/portable_math.h"
#include "common/geom/angle.h"
#include "common/geom/vec.h"

struct transform {
    struct vec3 origin, axes[3]; /* the x, y and z axis, scaled */
};

/* Angles are pitch, yaw and roll in degrees. */
static inline struct transform transform_from_angles(struct vec3 origin, struct vec3 angles,
                                                     double scale)
{
    double sp = portable_sin(angles.x * DEGREE), cp = portable_cos(angles.x * DEGREE);
    double sy = portable_sin(angles.y * DEGREE), cy = portable_cos(angles.y * DEGREE);
    double sr = portable_sin(angles.z * DEGREE), cr = portable_cos(angles.z * DEGREE);
    struct transform transform = {.origin = origin};
    transform.axes[0] = vec3(cp * cy, cp * sy, -sp);
    transform.axes[1] = vec3(sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, sr * cp);
    transform.axes[2] = vec3(cr * sp * cy + sr * sy, cr * sp * sy - sr * cy, cr * cp);
    for (int i = 0; i < 3; i++)
        transform.axes[i] = vec3_scale(transform.axes[i], scale);
    return transform;
}

static inline struct vec3 transform_direction(const struct transform *transform,
                                              struct vec3 direction)
{
    struct vec3 turned = vec3_scale(transform->axes[0], direction.x);
    turned = vec3_mad(turned, transform->axes[1], direction.y);
    return vec3_mad(turned, transform->axes[2], direction.z);
}

static inline struct vec3 transform_point(const struct transform *transform, struct vec3 point)
{
    struct vec3 at = transform->origin;
    for (int i = 0; i < 3; i++)
        at = vec3_mad(at, transform->axes[i], point.e[i]);
    return at;
}

/* Transforms a surface normal, which also stays perpendicular under non-uniform scale. The result
 * has unit length. */
static inline struct vec3 transform_normal(const struct transform *transform, struct vec3 normal)
{
    struct vec3 turned = vec3(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        double square = vec3_dot(transform->axes[i], transform->axes[i]);
        if (square > 0)
            turned = vec3_mad(turned, transform->axes[i], normal.e[i] / square);
    }
    return vec3_normalize(turned);
}

#endif
