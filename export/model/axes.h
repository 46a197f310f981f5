/* Internal: from the axes and units of maps to those of models. */
#ifndef EXPORT_MODEL_AXES_H
#define EXPORT_MODEL_AXES_H

#include "common/geom/transform.h"

/* A direction, or a normal. */
void export_direction(struct vec3 from, float out[3]);
void export_point(struct vec3 from, double units, float out[3]);

/* The rotation of a transform, whose axes are perpendicular and of unit length: x, y, z, w. */
void export_rotation(const struct transform *transform, float out[4]);
/* The rotation that makes the direction in which lights shine, -z of their node, the direction in
 * the map. */
void export_aim(struct vec3 direction, float out[4]);

#endif
