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

#endif
