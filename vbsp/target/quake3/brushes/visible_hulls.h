/* The polygons of a side of which parts are hidden: the convex hulls of visible parts that belong
 * together. */
#ifndef VBSP_QUAKE3_BRUSHES_VISIBLE_HULLS_H
#define VBSP_QUAKE3_BRUSHES_VISIBLE_HULLS_H

#include "common/geom/winding.h"

/* Returns the hulls of the parts (an stb_ds array) of a side with that winding and plane, in the
 * arena, as an stb_ds array that the caller frees. Parts belong together if they touch, or if the
 * hull of one overlaps that of the other: what a wall parts is lit from both of its sides, and no
 * luxel is to hold both. */
const struct winding **visible_hulls(struct arena *arena, const struct winding *const *parts,
                                     const struct winding *whole, const struct plane *plane);

#endif
