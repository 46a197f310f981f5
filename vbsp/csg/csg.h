/* Constructive solid geometry: brushes that overlap are cut until they do not. */
#ifndef VBSP_CSG_CSG_H
#define VBSP_CSG_CSG_H

#include "vbsp/compile.h"

/* Pieces of the list in its order, with overlaps taken away from the one that yields. A cut that
 * would break both brushes into several pieces is left alone: the tree sorts it out cheaper. */
struct brush *csg_chop(struct arena *arena, const struct plane_set *planes, struct brush *pieces);

#endif
