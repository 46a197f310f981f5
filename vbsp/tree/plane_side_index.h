/* Finds the fragments of a node that a plane meets without visiting each of them.
 *
 * A node tries the planes of its fragments; testing all fragments for each plane is quadratic.
 * Nearly all lie clearly on one side of an axial plane: those are counted by binary search. */
#ifndef VBSP_TREE_PLANE_SIDE_INDEX_H
#define VBSP_TREE_PLANE_SIDE_INDEX_H

#include "vbsp/csg/brush.h"
#include "vbsp/csg/plane_set.h"

/* A box must cross a plane by more than this to count as cut. */
#define BOX_EPSILON 0.001

struct plane_side_index;

/* Indexes a list of fragments, which must not change while the index is in use. Everything is
 * allocated in the arena. */
struct plane_side_index *plane_side_index_new(struct arena *arena, const struct plane_set *planes,
                                              struct brush *fragments);

/* The fragments that a plane (an even number) may cut or that have a side on it; all of them for a
 * plane that is not axial. `front` and `back` get the number of the others on each side. The list
 * is valid until the next call. */
struct brush **plane_side_index_near(struct plane_side_index *index, int plane, int *count,
                                     int *front, int *back);

#endif
