/* The surroundings of a place, as surfaces reflect them: the six faces of a cubemap. */
#ifndef SCENE_REFLECTIONS_CUBE_H
#define SCENE_REFLECTIONS_CUBE_H

#include "common/core/bytes.h"
#include "common/geom/vec.h"

enum { CUBE_FACES = 6 };

/* Faces lie as vtf_cube.h has them. Zero-initialised it is black. */
struct cube {
    int side;           /* in pixels; 0: there is nothing to reflect */
    float (*pixels)[3]; /* from memory_alloc, face by face: linear light, 1 is white */
};

/* Reads the first frame of a cubemap's file, at a size that is kept in memory easily. Returns
 * false, with *out empty, when it is none or cannot be decoded. */
bool cube_read(const struct bytes *file, struct cube *out);

/* Replaces the pictures by others, of four numbers a pixel. */
void cube_set(struct cube *cube, int side, float (*const faces[CUBE_FACES])[4]);

void cube_free(struct cube *cube);

/* Computes the light from a direction (not 0), between pixels of one face. */
void cube_at(const struct cube *cube, struct vec3 direction, float out[3]);

#endif
