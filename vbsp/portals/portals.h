/* Portals: the polygons between neighbouring leaves of a tree. */
#ifndef VBSP_PORTALS_PORTALS_H
#define VBSP_PORTALS_PORTALS_H

#include "vbsp/context.h"
#include "vbsp/tree/tree.h"

/* Rebuilds all portals of the tree and, from them, the bounds of its leaves and nodes. Returns the
 * number of leaves without a portal (zero-volume leaves, made by rounding). */
int portals_make(struct compile *compile, struct tree *tree);

/* The same for faces: also keeps portals too small for visibility whose missing faces would leave a
 * crack that welding does not close. */
void portals_make_fine(struct compile *compile, struct tree *tree);

/* Finds the brush side that separates the visible contents of the portal's leaves: portal->side,
 * NULL when they agree. */
void portal_find_side(const struct compile *compile, struct portal *portal);

#endif
