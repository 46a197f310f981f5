/* func_viscluster: leaves that the mapper joins into one cluster, to make visibility cheaper. */
#ifndef VBSP_PORTALS_VISCLUSTER_H
#define VBSP_PORTALS_VISCLUSTER_H

#include "vbsp/context.h"
#include "vbsp/tree/tree.h"

/* Sets node->viscluster of each open leaf that lies in func_visclusters by more than a tenth of its
 * volume: to the one that holds most of it, the first of equals. One that gets no leaf is told. The
 * portals of the tree must be there. */
void viscluster_find(const struct compile *compile, struct tree *tree);

#endif
