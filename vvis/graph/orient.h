/* Which way portals look, and whether they are of the map at all. */
#ifndef VVIS_GRAPH_ORIENT_H
#define VVIS_GRAPH_ORIENT_H

#include "common/bsp/bsp.h"
#include "common/bsp/sidecar/prt.h"

/* Asks the tree of the map for the clusters a little before and a little behind each portal. Turns
 * the portals of a compiler that has them look the other way; fails (VIS_CLUSTERS) when most lie
 * between other clusters than they say, as those of another version of the map do. */
NODISCARD enum status portals_orient(const struct env *env, const struct bsp *bsp, struct prt *prt);

#endif
