/* Areas and clusters: which leaves belong together for areaportals and for visibility. */
#ifndef VBSP_AREAS_H
#define VBSP_AREAS_H

#include "vbsp/compile.h"

/* Numbers the areas of the occupied leaves from 1; returns how many there are, with the dummy 0. */
int areas_find(struct tree *tree);

/* Turns nodes whose two leaves are solid into a solid leaf. Returns how many. */
int tree_prune(struct node *node);

/* Numbers the clusters in tree order and writes the portals between them. The leaves of an area
 * with a sky_camera share one cluster. */
void clusters_number(struct compile *compile, struct tree *tree, struct prt *prt);

/* The map leaks: puts every open leaf into cluster 0, as the leaking map of the corpus has it, so
 * that an engine still takes what stands there for inside. */
void clusters_give_up(struct node *node);

#endif
