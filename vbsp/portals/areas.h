/* Clusters: which leaves belong together for visibility. */
#ifndef VBSP_PORTALS_AREAS_H
#define VBSP_PORTALS_AREAS_H

#include "vbsp/compile.h"

/* Turns nodes whose two leaves are solid into a solid leaf. Returns how many. */
int tree_prune(struct node *node);

/* Numbers the clusters in tree order and writes the portals between them. The leaves of an area
 * with a sky_camera share one cluster unless force_sky_vis or of_2007 is set, as do those of a
 * func_viscluster. A sky_camera that stands badly is told. */
void clusters_number(struct compile *compile, struct tree *tree, struct prt *prt);

/* The map leaks: puts every open leaf into cluster 0, as the leaking map of the corpus has it, so
 * that an engine still takes what stands there for inside. */
void clusters_give_up(struct node *node);

#endif
