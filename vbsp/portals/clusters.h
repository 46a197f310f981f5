/* Clusters: groups of leaves with common visibility. */
#ifndef VBSP_PORTALS_CLUSTERS_H
#define VBSP_PORTALS_CLUSTERS_H

#include "vbsp/context.h"
#include "vbsp/tree/tree.h"

/* Numbers the clusters in tree order and writes the portals between them. The leaves of an area
 * with a sky_camera share one cluster unless force_sky_vis or of_2007 is set, as do those of a
 * func_viscluster. Reports a misplaced sky_camera. Returns the portals of the tree that became
 * prt->portals, in the same order; an stb_ds array that the caller frees. */
struct portal **clusters_number(const struct compile *compile, struct tree *tree, struct prt *prt);

/* For a leaking map: puts every open leaf into cluster 0, as Valve's vbsp does, so that an engine
 * still treats them as inside. */
void clusters_give_up(struct node *node);

#endif
