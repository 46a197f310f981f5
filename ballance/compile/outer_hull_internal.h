/* Internal to outer_hull*.c: the steps from solids to triangles. */
#ifndef BALLANCE_COMPILE_OUTER_INTERNAL_H
#define BALLANCE_COMPILE_OUTER_INTERNAL_H

#include "ballance/compile/outer_hull.h"
#include "common/core/array.h"
#include "common/geom/winding.h"

/* A convex part of a side. */
struct fragment {
    int plane, group;
    const struct winding *winding;
};

/* An edge of an area, which is clockwise seen from the front. */
struct area_edge {
    int plane, group, from, to;
};

/* outer_hull_edges.c: the boundaries of the areas, sorted by plane and group, and the vertices,
 * with points within `weld` as one. */
struct area_edge *outer_edges(const struct fragment *fragments, double weld,
                              struct outer_hull *out);

#endif
