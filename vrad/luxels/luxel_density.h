/* The option -luxeldensity: coarser lightmaps, made before lighting. */
#ifndef VRAD_LUXELS_LUXEL_DENSITY_H
#define VRAD_LUXELS_LUXEL_DENSITY_H

#include "common/bsp/bsp.h"

/* Stretches the lightmap axes of texinfo with more than `density` luxels per unit (above 1: with
 * fewer than that many units per luxel), and recomputes the lightmap extents of their faces, LDR
 * and HDR. Texinfo that displacements use stay as they are, since their grids are in lumps of their
 * own. Lighting that the faces had does not fit any more. */
void luxel_density_limit(struct bsp *bsp, double density);

#endif
