/* Clusters: which leaves belong together for visibility. */
#ifndef VBSP_PORTALS_CLUSTERS_H
#define VBSP_PORTALS_CLUSTERS_H

#include "vbsp/context.h"
#include "vbsp/tree/tree.h"

/* Numbers the clusters in tree order and writes the portals between them. The leaves of an area
 * with a sky_camera share one cluster unless force_sky_vis or of_2007 is set, as do those of a
 * func_viscluster. A sky_camera that stands badly is told. Returns the portals of the tree that
 * prt->portals were made of, one each; an stb_ds array, the caller's. */
struct portal **clusters_number(const struct compile *compile, struct tree *tree, struct prt *prt);

/* The map leaks: puts every open leaf into cluster 0, as the leaking map of the corpus has it, so
 * that an engine still takes what stands there for inside. */
void clusters_give_up(struct node *node);

/* viscluster.c, for func_viscluster: leaves that the mapper joins into one cluster, to make
 * visibility cheaper. Sets node->viscluster of each open leaf that lies in func_visclusters by more
 * than a tenth of its volume: to the one that holds most of it, the first of equals. One that gets
 * no leaf is told. The portals of the tree must be there. */
void viscluster_find(const struct compile *compile, struct tree *tree);

#endif
