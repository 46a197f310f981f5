/* Where a point of a model stands when the model is placed in a map. */
#ifndef GEOM_PLACING_H
#define GEOM_PLACING_H

#include "common/geom/vec.h"

struct placing {
    struct vec3 origin, axes[3]; /* where its x, y and z point, times the scale */
};

/* Angles are pitch, yaw and roll in degrees. */
static inline struct placing placing_of(struct vec3 origin, struct vec3 angles, double scale)
{
    const double degree = 0.017453292519943295;
    double sp = sin(angles.x * degree), cp = cos(angles.x * degree);
    double sy = sin(angles.y * degree), cy = cos(angles.y * degree);
    double sr = sin(angles.z * degree), cr = cos(angles.z * degree);
    struct placing place = {.origin = origin};
    place.axes[0] = vec3(cp * cy, cp * sy, -sp);
    place.axes[1] = vec3(sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, sr * cp);
    place.axes[2] = vec3(cr * sp * cy + sr * sy, cr * sp * sy - sr * cy, cr * cp);
    for (int i = 0; i < 3; i++)
        place.axes[i] = vec3_scale(place.axes[i], scale);
    return place;
}

static inline struct vec3 placing_direction(const struct placing *place, struct vec3 direction)
{
    struct vec3 turned = vec3_scale(place->axes[0], direction.x);
    turned = vec3_mad(turned, place->axes[1], direction.y);
    return vec3_mad(turned, place->axes[2], direction.z);
}

static inline struct vec3 placing_point(const struct placing *place, struct vec3 point)
{
    struct vec3 at = place->origin;
    for (int i = 0; i < 3; i++)
        at = vec3_mad(at, place->axes[i], point.e[i]);
    return at;
}

/* A direction across a surface, which keeps that under scales that differ by axis. Unit. */
static inline struct vec3 placing_normal(const struct placing *place, struct vec3 normal)
{
    struct vec3 turned = vec3(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        double square = vec3_dot(place->axes[i], place->axes[i]);
        if (square > 0)
            turned = vec3_mad(turned, place->axes[i], normal.e[i] / square);
    }
    return vec3_normalize(turned);
}

#endif
