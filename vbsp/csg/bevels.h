/* Bevels: planes that touch a brush from outside, so that a box that slides along it does not
 * catch on its edges (boxes are tested against brushes by their planes alone). */
#ifndef VBSP_CSG_BEVELS_H
#define VBSP_CSG_BEVELS_H

#include "vbsp/csg/brush.h"
#include "vbsp/csg/plane_set.h"

/* Puts the axial sides in the first six places, -x +x -y +y -z +z, where missing ones become
 * bevels; brushes that are no boxes get bevels along their slanted edges too. Replaces brush->sides
 * by an array in the arena. The sides must have windings, contents and texinfo. */
void brush_add_bevels(struct arena *arena, struct plane_set *planes, struct map_brush *brush);

#endif
