/* Tests the orientation of portals, and whether they belong to the map. */
#ifndef VVIS_GRAPH_ORIENT_H
#define VVIS_GRAPH_ORIENT_H

#include "common/bsp/bsp.h"
#include "common/bsp/sidecar/prt.h"

/* Looks up the clusters just in front of and just behind each portal in the BSP tree. Reverses
 * the portals of a compiler that orients them the other way; fails (VIS_CLUSTERS) when most of
 * them do not lie between the clusters that they name, as in a portal file of another version of
 * the map. */
NODISCARD enum status portals_orient(const struct env *env, const struct bsp *bsp, struct prt *prt);

#endif
