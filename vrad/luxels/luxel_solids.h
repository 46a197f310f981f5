/* Inside the luxel map: surfaces that run on into solid leaves. Those of Quake 3 maps are the hulls
 * of what is seen of them, and so are rectangles that several share. */
#ifndef VRAD_LUXELS_LUXEL_SOLIDS_H
#define VRAD_LUXELS_LUXEL_SOLIDS_H

#include "vrad/luxels/luxel.h"

enum { LUXEL_IN_OPEN = 1, LUXEL_IN_SOLID = 2 };

/* In what leaves the square of luxel (s, t) lies, raised to where rays start: those that are solid
 * as a whole, others, or both. Of bent faces it is those of the box around nine points, which may
 * say both for nothing. Always open in scenes whose `solid_leaves` is not set. */
unsigned luxel_leaves(const struct luxel_map *map, const struct face_light *face, double s,
                      double t);

/* The same of a box, and what lies just outside it, in any map. */
unsigned box_leaves(const struct bsp *bsp, const struct bounds *box);

#endif
