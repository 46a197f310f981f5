/* Sides of brushes that are meant to lie on one plane.
 *
 * Walls off the grid meet with gaps and overlaps of a hair. As planes they part: what is a hair at
 * the walls is a wedge some way off, so the tree would cut it out, and between the walls a leaf as
 * wide as they are and as thin as the gap would lead out of the map. */
#ifndef VBSP_CSG_PLANE_SHARE_H
#define VBSP_CSG_PLANE_SHARE_H

#include "vbsp/context.h"

/* Puts each side whose points all lie within EPSILON_PLANE_DIST of the plane of a wider side, or of
 * its back, on that plane, and gives the brushes their windings anew. Their records keep the planes
 * that were drawn. After load_map. */
void planes_share(struct compile *compile);

#endif
