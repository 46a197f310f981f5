/* The geometry of cubemaps: directions of the pixels of their faces, and the sphere map. */
#ifndef ASSETS_TEXTURES_VTF_CUBE_H
#define ASSETS_TEXTURES_VTF_CUBE_H

#include "common/geom/vec.h"

/* The axes of a face (0 .. 5: +x, -x, +y, -y, +z, -z of the world): where it lies, and where its
 * rows go to the right and down. The direction of a point at (s, t), -1 .. 1 from the left and from
 * the top, is ahead + s * right + t * down. */
struct vtf_cube_axes {
    struct vec3 ahead, right, down;
};

struct vtf_cube_axes vtf_cube_axes(int face);

/* Returns the face that a direction meets, and its place there: 0 .. 1 from the left and the top.
 */
int vtf_cube_place(struct vec3 direction, double place[2]);

/* Draws the sphere map of a cube: what a mirroring ball shows from afar, seen from +z with +x to
 * the right and +y up. Around the ball is what its rim shows, -z. `faces` are six pictures of 4 *
 * side * side numbers, as `out`. Used by engines of old graphics cards. */
void vtf_sphere_map(const float *const faces[6], int side, float *out);

#endif
