/* Which pieces of a node a plane meets, without a look at each of them.
 *
 * A node tries the planes of its pieces, so that looking at all of them for each costs the square
 * of their number. Nearly all lie clearly on one side of an axial plane: those are counted by
 * search. */
#ifndef VBSP_TREE_PLANE_SIDE_INDEX_H
#define VBSP_TREE_PLANE_SIDE_INDEX_H

#include "vbsp/csg/brush.h"
#include "vbsp/csg/plane_set.h"

/* A box that crosses a plane by less than this does not cross it. */
#define BOX_EPSILON 0.001

struct plane_side_index;

/* Of a list of pieces, which are not changed while it lives. In the arena, as all that it uses. */
struct plane_side_index *plane_side_index_new(struct arena *arena, const struct plane_set *planes,
                                              struct brush *pieces);

/* The pieces that a plane (an even number) may cut or that have a side on it; all of them for a
 * plane that is not axial. `front` and `back` get the number of the others on each side. The list
 * is good until the next call. */
struct brush **plane_side_index_near(struct plane_side_index *index, int plane, int *count,
                                     int *front, int *back);

#endif
