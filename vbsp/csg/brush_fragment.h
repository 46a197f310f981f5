/* Convex brush fragments: copies of map brushes, cut by planes and by each other. */
#ifndef VBSP_CSG_BRUSH_FRAGMENT_H
#define VBSP_CSG_BRUSH_FRAGMENT_H

#include "vbsp/csg/brush.h"
#include "vbsp/csg/plane_set.h"

/* A copy of a map brush to cut from. All its sides are marked visible, or as in the map brush. */
struct brush *brush_fragment_new(struct arena *arena, const struct map_brush *original,
                                 bool all_visible);

/* A copy of a fragment for a leaf, whose sides have the windings of the map brush's sides: most of
 * the memory of a tree would be those of fragments. */
struct brush *brush_fragment_copy_sides(struct arena *arena, const struct brush *fragment);

/* A box without an original, for the volume of a node. Adds its planes to the set. */
struct brush *brush_fragment_box(struct arena *arena, struct plane_set *planes,
                                 const struct bounds *bounds);

/* Cuts a fragment by a plane. A result is NULL if it is thinner than EPSILON_SPLIT or smaller than
 * a cubic unit. An uncut fragment is returned itself. The new sides lie on the plane and are marked
 * as on a node. */
void brush_fragment_cut(struct arena *arena, const struct plane_set *planes, struct brush *fragment,
                        int plane, struct brush **front, struct brush **back);

/* True if brush_fragment_cut would return a fragment on both sides. */
bool brush_fragment_is_cut(struct arena *scratch, const struct plane_set *planes,
                           struct brush *fragment, int plane);

double brush_fragment_volume(const struct plane_set *planes, const struct brush *fragment);

/* csg.c: the fragments of the list, in order, with each overlap removed from one of the two. A cut
 * that would break both brushes into several fragments is not made: the tree does it more cheaply.
 * */
struct brush *csg_chop(struct arena *arena, const struct plane_set *planes,
                       struct brush *fragments);

/* True if the side cannot be a splitter: it is on a node, or was excluded from the start. */
static inline bool side_is_on_node(const struct brush_side *side)
{
    return side->on_node || side->texinfo == TEXINFO_NODE;
}

static inline uint64_t plane_bit(int plane)
{
    return (uint64_t)1 << ((unsigned)plane >> 1 & 63);
}

/* The first side that lies on the plane (an even number) or on its opposite, or -1. */
static inline int brush_fragment_side_on(const struct brush *fragment, int plane)
{
    if (!(fragment->plane_bits & plane_bit(plane)))
        return -1;
    for (int i = 0; i < fragment->side_count; i++)
        if ((fragment->sides[i].plane & ~1) == plane)
            return i;
    return -1;
}

#endif
