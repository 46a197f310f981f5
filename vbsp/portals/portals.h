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

/* A part of a portal, and the side of a map brush that makes a face there. */
struct portal_part {
    const struct brush_side *side;
    struct winding *winding;
};

/* Finds the side of a map brush that separates the visible contents of the portal's leaves:
 * portal->side, NULL when they agree. Of several sides, it is the one that covers most of the
 * portal. */
void portal_find_side(const struct compile *compile, struct portal *portal);

/* Divides the portal among the sides that cover it: the array (stb_ds, emptied first) of its parts,
 * whose windings have the portal's normal. One part unless the sides are drawn differently, and
 * none when no side separates the leaves. */
void portal_find_parts(const struct compile *compile, struct arena *arena, struct portal *portal,
                       struct portal_part **parts);

#endif
