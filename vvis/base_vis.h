/* Base visibility: what portals could see by the sides of their planes alone. */
#ifndef VVIS_BASE_VIS_H
#define VVIS_BASE_VIS_H

#include "common/core/env.h"
#include "vvis/bits.h"
#include "vvis/portals.h"

/* A matrix of portals: bit q of row p is set when a line through p could go on through q, for all
 * that the planes of the portals on the way tell. With radius > 0, only within that distance.
 * Bit q of row p equals bit p ^ 1 of row q ^ 1. */
struct bit_rows base_vis(const struct env *env, const struct portals *portals, double radius);

/* Clears every bit (p, q) whose way back (q ^ 1, p ^ 1) is not set. */
void base_vis_symmetric(const struct env *env, struct bit_rows *rows, int portals);

#endif
