/* -dxlevel: a map for graphics cards of one DirectX level, such as 70, 81 or 95. */
#ifndef VBSP_LEVEL_DX_LEVEL_H
#define VBSP_LEVEL_DX_LEVEL_H

#include "vbsp/vbsp.h"

/* The options as the level bends them: below 80 nothing is bumped that does not ask for it, and 70
 * has four times coarser lightmaps unless -luxelscale says otherwise. Level 0 is none. */
struct vbsp_options dx_level_options(const struct vbsp_options *options);

/* Whether cards of the level show no cubemaps. */
bool dx_level_skips_cubemaps(int dx_level);

/* Takes the entities out of the level whose mindxlevel or maxdxlevel leaves the level out, and
 * below 70 cubemaps. Level 0 leaves all in. */
void dx_level_filter(struct level *level, int dx_level);

#endif
