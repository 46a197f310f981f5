/* Portals and the tree of a BSP: whether those of a file belong to it, and those of the tree
 * itself, for maps whose portal file is missing or of another compile. */
#ifndef VVIS_GRAPH_TREE_PORTALS_H
#define VVIS_GRAPH_TREE_PORTALS_H

#include "common/bsp/bsp.h"
#include "common/bsp/sidecar/prt.h"

/* Looks up the clusters just in front of and just behind each portal in the BSP tree. Reverses
 * the portals of a compiler that orients them the other way; fails (VIS_CLUSTERS) when most of
 * them do not lie between the clusters that they name, as in a portal file of another version of
 * the map. */
NODISCARD enum status portals_orient(const struct env *env, const struct bsp *bsp, struct prt *prt);

/* Returns the number of clusters that the leaves name; 0 for a map that leaks. Leaf 0 belongs to
 * none, although its record says 0. */
int tree_cluster_count(const struct bsp *bsp);

/* True if the portals are between as many clusters. A map without leaves is one of which only the
 * portals are known. */
bool tree_has_clusters_of(const struct bsp *bsp, const struct prt *prt);

/* Makes the openings between clusters from the planes of the world's nodes: what vbsp writes into a
 * portal file, to the precision of the planes in the BSP. Brushes of detail block no sight, except
 * where they fill a leaf of the structural tree as a whole. Needs the leaf brushes and brushes of
 * Source. Free with prt_free, also after a failure: there are more portals than a portal file may
 * have (PRT_RANGE). */
NODISCARD enum status tree_portals_make(const struct env *env, const struct bsp *bsp,
                                        struct prt *out);

#endif
