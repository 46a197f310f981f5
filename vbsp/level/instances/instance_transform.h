/* The transform of an instance: points, directions, angles and their texts. Unlike struct transform
 * it is exact for right angles. */
#ifndef VBSP_LEVEL_INSTANCES_INSTANCE_TRANSFORM_H
#define VBSP_LEVEL_INSTANCES_INSTANCE_TRANSFORM_H

#include "common/core/arena.h"
#include "vbsp/level/level.h"

struct rotation {
    struct vec3 axes[3]; /* images of the x, y and z axes */
};

struct instance_transform {
    struct rotation rotation;
    struct vec3 origin;
    bool moved, turned;
};

extern const struct instance_transform instance_transform_identity;

/* Angles are pitch, yaw and roll in degrees, as in entity keys; right angles are exact. */
struct rotation rotation_from_angles(struct vec3 angles);
struct vec3 rotation_angles(const struct rotation *rotation);
struct vec3 rotation_apply(const struct rotation *rotation, struct vec3 v);
struct rotation rotation_multiply(const struct rotation *outer, const struct rotation *inner);

struct instance_transform instance_transform_new(struct vec3 origin, struct vec3 angles);
struct vec3 instance_transform_point(const struct instance_transform *transform, struct vec3 point);

/* Formats a vector as in maps, "1 2.5 -3", to a millionth. */
const char *vector_text(struct arena *arena, struct vec3 v);

/* Transforms a side and its texture. Its displacement is a new block in the arena. */
void instance_transform_side(const struct instance_transform *transform, struct arena *arena,
                             struct map_side *side);

#endif
