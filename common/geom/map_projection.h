/* The planes onto which the .map formats project the texture of a face. `normal` is the unit normal
 * of the face. */
#ifndef GEOM_MAP_PROJECTION_H
#define GEOM_MAP_PROJECTION_H

#include "common/geom/vec.h"

/* Scale of a face without a valid mapping. */
#define MAP_DEFAULT_SCALE 0.5

/* The world axes of u and v (v is negated) for faces whose normal is closest to `towards`. */
struct map_base {
    int towards, u, v;
};

/* Returns the base of a classic face: that of the two world axes that it is most parallel to. Of
 * directions within 1e-4 of each other the first of z, x, y is chosen (compiled maps distinguish
 * 6.4e-6 from 2.4e-4). */
const struct map_base *map_classic_base(struct vec3 normal);

/* Sets the two axes of a brush primitive, in the plane of the face: s horizontal, t downwards. For
 * a vertical normal, s is y and t is x or -x. */
void map_primitive_base(struct vec3 normal, struct vec3 *s, struct vec3 *t);

#endif
