/* Internal to outer_hull*.c: the steps from solids to triangles. */
#ifndef BALLANCE_COMPILE_OUTER_INTERNAL_H
#define BALLANCE_COMPILE_OUTER_INTERNAL_H

#include "ballance/compile/outer_hull.h"
#include "common/core/array.h"
#include "common/geom/winding.h"

/* Points this close to a plane lie on it when sides are cut: well above the rounding of doubles,
 * well below OUTER_WELD. */
#define OUTER_CUT 1e-6

struct solid_side {
    int plane; /* pooled */
    int group;
    const struct winding *winding;
};

struct solid {
    struct solid_side *sides; /* in the arena; those with a winding */
    int count;
    struct bounds bounds;
};

/* A convex part of a side. */
struct fragment {
    int plane, group;
    const struct winding *winding;
};

struct plane_slot;

struct outer_builder {
    struct arena arena;
    struct plane *planes; /* stb_ds array; i and i ^ 1 are each other's opposite */
    int *plane_next;      /* per pair: the next in its slot, or -1 */
    struct plane_slot *plane_slots;
    struct solid *solids; /* stb_ds array */
};

/* outer_hull_cut.c: appends the parts of all sides that are outside of all other solids. */
void outer_cut(struct outer_builder *builder, struct fragment **fragments);

/* An edge of an area, which is clockwise seen from the front. */
struct area_edge {
    int plane, group, from, to;
};

/* outer_hull_edges.c: the boundaries of the areas, sorted by plane and group, and the vertices,
 * with points within `weld` as one. */
struct area_edge *outer_edges(const struct fragment *fragments, double weld,
                              struct outer_hull *out);

#endif
