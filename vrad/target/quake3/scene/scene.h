/* Where light comes from, and what it meets. */
#ifndef VRAD_QUAKE3_SCENE_SCENE_H
#define VRAD_QUAKE3_SCENE_SCENE_H

#include "vrad/target/quake3/receivers/receivers.h"

/* occluders.c: surfaces and brushes -> the scene that rays meet. */
NODISCARD enum status quake3_build_scene(struct quake3_light *q);

/* sources.c: entities, surfaces that glow, suns and skies -> lights; the luxels are there. */
void quake3_find_lights(struct quake3_light *q);

/* --- emissive_pieces.c: surfaces that glow, cut into pieces that shine like lamps --- */

struct emissive_piece {
    struct vec3 center;  /* on the surface */
    struct vec3 normal;  /* unit, the mean of its luxels' */
    struct vec3 side[2]; /* half the sides of the parallelogram that it is; zeros: of bent pieces,
                            and of those with a hole in their middle */
    double area;         /* map units squared, of what is seen of it */
};

/* Blocks of `step` x `step` luxels of a lit face, smaller where it is bent so that their normals
 * differ by less than 50 degrees. Blocks of which nothing is seen are left out. Appends to the
 * stb_ds array. */
void emissive_pieces(const struct face_light *face, int step, struct emissive_piece **out);

#endif
