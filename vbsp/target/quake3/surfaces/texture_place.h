/* Moves texture coordinates by whole repeats to near 0, where an image that does not repeat or that
 * turns is in place, and where floats are most exact. */
#ifndef VBSP_QUAKE3_SURFACES_TEXTURE_PLACE_H
#define VBSP_QUAKE3_SURFACES_TEXTURE_PLACE_H

#include "vbsp/target/quake3/surfaces/surface.h"

/* The middle of each surface's coordinates comes to 0 or above and below 1, on both axes. This is
 * for surfaces in their final form: those that were merged move together. Sky, flares, and surfaces
 * whose shader has q3map_globalTexture or SHADER_CLAMPS keep theirs. */
void surfaces_place_textures(struct draw_surface *surfaces, size_t count);

/* The same for each face of a shader with SHADER_CLAMPS: before they are merged, since each shows
 * the image once. */
void faces_place_textures(struct draw_surface *faces, size_t count);

#endif
