/* Slivers: pieces of solid brushes that lie in an open leaf, because they are thinner there than
 * what splits. The corner of a wall that reaches a hair into the next block is one. */
#ifndef VBSP_TREE_SLIVERS_H
#define VBSP_TREE_SLIVERS_H

#include "vbsp/csg/plane_set.h"
#include "vbsp/tree/tree.h"

/* Whether a portal between open leaves lies within a brush that one of them has a sliver of, so
 * that there is no way through. */
bool sliver_covers(const struct plane_set *planes, const struct portal *portal);

#endif
