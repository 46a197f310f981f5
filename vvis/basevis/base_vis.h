/* Base visibility: what portals could see for all that cheap tests tell. */
#ifndef VVIS_BASEVIS_BASE_VIS_H
#define VVIS_BASEVIS_BASE_VIS_H

#include "common/env.h"
#include "vvis/graph/bits.h"
#include "vvis/graph/portals.h"

/* A matrix of portals: bit q of row p is set when a line through p could go on through q, for all
 * that the sides of their planes tell, and what the line sees through p and the portal after it.
 * With radius > 0, only within that distance. Bit q of row p equals bit p ^ 1 of row q ^ 1. */
struct bit_rows base_vis(const struct env *env, const struct portals *portals, double radius);

/* The same by the sides of planes and boxes alone: much looser, and made in no time. Enough where
 * all that follows narrows it. */
struct bit_rows base_front(const struct env *env, const struct portals *portals, double radius);

/* What is seen through a portal and then the next is seen through the next: keeps what one of the
 * next ones has. Each time goes a step farther; a few are cheap, and bring the most on sparse maps.
 */
void base_vis_refine(const struct env *env, const struct portals *portals, struct bit_rows *rows);

/* Clears every bit (p, q) whose way back (q ^ 1, p ^ 1) is not set. */
void base_vis_make_symmetric(const struct env *env, struct bit_rows *rows, int portals);

#endif
