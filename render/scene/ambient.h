/* Ambient lookup: the ambient cubes of a map's leaves. */
#ifndef RENDER_SCENE_AMBIENT_H
#define RENDER_SCENE_AMBIENT_H

#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

/* Light from +x -x +y -y +z -z; 255 is white. */
struct render_ambient {
    float cube[6][3];
};

/* Finds the mean of the samples of the leaf at the point, weighted by distance. Returns false
 * when it has none. */
bool render_ambient_at(const struct bsp *bsp, const struct bsp_light_set *light, struct vec3 point,
                       struct render_ambient *out);

/* Evaluates the cube for a surface normal (a unit vector). */
void render_ambient_light(const struct render_ambient *ambient, struct vec3 normal, float out[3]);

#endif
