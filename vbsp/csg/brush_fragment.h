/* Convex pieces of brushes: copies of map brushes, cut by planes and by each other. */
#ifndef VBSP_CSG_BRUSH_FRAGMENT_H
#define VBSP_CSG_BRUSH_FRAGMENT_H

#include "vbsp/csg/brush.h"
#include "vbsp/csg/plane_set.h"

/* A copy of a map brush to cut from. All its sides count as visible, or as the map brush has it. */
struct brush *brush_fragment_new(struct arena *arena, const struct map_brush *original,
                                 bool all_visible);

/* A box without an original, for the volume of a node. Adds its planes to the set. */
struct brush *brush_fragment_box(struct arena *arena, struct plane_set *planes,
                                 const struct bounds *bounds);

/* Cuts a piece by a plane. A side that gets nothing worth having is NULL: a piece thinner than
 * EPSILON_SPLIT or of less than a cubic unit. An uncut piece is passed on as it is. The new sides
 * lie on the plane and are marked as on a node. */
void brush_fragment_cut(struct arena *arena, const struct plane_set *planes, struct brush *piece,
                        int plane, struct brush **front, struct brush **back);

/* Whether brush_fragment_cut would give something on both sides. */
bool brush_fragment_is_cut(struct arena *scratch, const struct plane_set *planes,
                           struct brush *piece, int plane);

double brush_fragment_volume(const struct plane_set *planes, const struct brush *piece);

/* csg.c: the pieces of the list in its order, with overlaps taken away from the one that yields. A
 * cut that would break both brushes into several pieces is left alone: the tree sorts it out
 * cheaper. */
struct brush *csg_chop(struct arena *arena, const struct plane_set *planes, struct brush *pieces);

/* A side that cannot be a splitter any more: it is on a node, or was never meant to be one. */
static inline bool side_is_on_node(const struct brush_side *side)
{
    return side->on_node || side->texinfo == TEXINFO_NODE;
}

static inline uint64_t plane_bit(int plane)
{
    return (uint64_t)1 << ((unsigned)plane >> 1 & 63);
}

/* Whether a side lies on the plane (an even number) or on its opposite: the first such, or -1. */
static inline int brush_fragment_side_on(const struct brush *piece, int plane)
{
    if (!(piece->plane_bits & plane_bit(plane)))
        return -1;
    for (int i = 0; i < piece->side_count; i++)
        if ((piece->sides[i].plane & ~1) == plane)
            return i;
    return -1;
}

#endif
