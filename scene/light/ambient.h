/* Ambient lookup: the ambient cubes of a map's leaves. */
#ifndef SCENE_LIGHT_AMBIENT_H
#define SCENE_LIGHT_AMBIENT_H

#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

/* Light from +x -x +y -y +z -z; 255 is white. */
struct scene_ambient {
    float cube[6][3];
};

/* Finds the mean of the samples of the leaf at the point, weighted by distance. Returns false
 * when it has none. */
bool scene_ambient_at(const struct bsp *bsp, const struct bsp_light_set *light, struct vec3 point,
                      struct scene_ambient *out);

/* Evaluates the cube for a surface normal (a unit vector). */
void scene_ambient_light(const struct scene_ambient *ambient, struct vec3 normal, float out[3]);

#endif
