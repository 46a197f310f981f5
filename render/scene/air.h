/* The light that the air of a map holds: the ambient cubes of its leaves. */
#ifndef RENDER_SCENE_AIR_H
#define RENDER_SCENE_AIR_H

#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

/* Light from +x -x +y -y +z -z; 255 is white. */
struct air {
    float cube[6][3];
};

/* The mean of the samples of the leaf at the point, the near ones counting more. False when nothing
 * is known of it. */
bool air_at(const struct bsp *bsp, const struct bsp_light_set *light, struct vec3 point,
            struct air *out);

/* What falls on a surface that is turned so (a unit vector). */
void air_light(const struct air *air, struct vec3 normal, float out[3]);

#endif
