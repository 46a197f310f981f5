/* -dxlevel: limits a map to the features of a DirectX level, such as 70, 81 or 95. */
#ifndef VBSP_LEVEL_DX_LEVEL_H
#define VBSP_LEVEL_DX_LEVEL_H

#include "vbsp/vbsp.h"

/* Adjusts the options to the level: below 80 -bumpall is off, and 70 has four times coarser
 * lightmaps unless -luxelscale is set. Level 0 changes nothing. */
struct vbsp_options dx_level_options(const struct vbsp_options *options);

/* True if the level shows no cubemaps. */
bool dx_level_skips_cubemaps(int dx_level);

/* Removes entities whose mindxlevel or maxdxlevel excludes the DirectX level and, below 70,
 * cubemaps. Level 0 removes none. */
void dx_level_filter(struct level *level, int dx_level);

#endif
