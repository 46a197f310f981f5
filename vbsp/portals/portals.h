/* Portals: the polygons through which neighbouring leaves of a tree touch. */
#ifndef VBSP_PORTALS_PORTALS_H
#define VBSP_PORTALS_PORTALS_H

#include "vbsp/context.h"
#include "vbsp/tree/tree.h"

/* Makes all portals of the tree afresh, and the boxes of its leaves and nodes from them. Returns
 * the number of leaves that got no portal (degenerate: rounding left them no room). */
int portals_make(struct compile *compile, struct tree *tree);

/* The same for faces: keeps those too that are too small to see or to go through, but whose faces
 * would leave a hole that no weld closes. */
void portals_make_fine(struct compile *compile, struct tree *tree);

/* Finds the brush side that makes the difference between the portal's leaves: portal->side, NULL
 * when their visible contents agree. */
void portal_find_side(const struct compile *compile, struct portal *portal);

#endif
