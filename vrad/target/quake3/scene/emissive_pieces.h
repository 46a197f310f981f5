/* Inside the lights of Quake 3: surfaces that glow, cut into pieces that shine like lamps. */
#ifndef VRAD_QUAKE3_SCENE_EMISSIVE_PIECES_H
#define VRAD_QUAKE3_SCENE_EMISSIVE_PIECES_H

#include "vrad/luxels/luxel.h"

struct glow_piece {
    struct vec3 center;  /* on the surface */
    struct vec3 normal;  /* unit, the mean of its luxels' */
    struct vec3 side[2]; /* half the sides of the parallelogram that it is; zeros: of bent pieces,
                            and of those with a hole in their middle */
    double area;         /* map units squared, of what is seen of it */
};

/* Blocks of `step` x `step` luxels of a lit face, smaller where it is bent so that their normals
 * differ by less than 50 degrees. Blocks of which nothing is seen are left out. Appends to the
 * stb_ds array. */
void glow_pieces(const struct face_light *face, int step, struct glow_piece **out);

#endif
