/* The option -luxeldensity: coarser lightmaps, made before the light. */
#ifndef VRAD_LUXELS_LUXEL_DENSITY_H
#define VRAD_LUXELS_LUXEL_DENSITY_H

#include "common/bsp/bsp.h"

/* Stretches the lightmap axes of texinfo with more than `density` luxels a unit (above 1: with less
 * than that many units per luxel), and lays out the lightmaps of their faces again, LDR and HDR.
 * The grids of displacements are in lumps of their own: texinfo that they use stay as they are.
 * Light that the faces had no longer fits them. */
void luxel_density_limit(struct bsp *bsp, double density);

#endif
