/* Base visibility: a conservative mightsee between portals, by cheap tests. */
#ifndef VVIS_BASEVIS_BASE_VIS_H
#define VVIS_BASEVIS_BASE_VIS_H

#include "common/env.h"
#include "vvis/graph/bits.h"
#include "vvis/graph/portals.h"

/* Returns a matrix of portals: bit q of row p is set when a line through p may continue through
 * q, by the sides of their planes and by the frustum of p and the portal after it. With radius >
 * 0, only within that distance. Bit q of row p equals bit p ^ 1 of row q ^ 1. */
struct bit_rows base_vis(const struct env *env, const struct portals *portals, double radius);

/* The same by planes and boxes alone (portal front): much looser and very fast. Sufficient where
 * later steps refine it. */
struct bit_rows base_front(const struct env *env, const struct portals *portals, double radius);

#endif
