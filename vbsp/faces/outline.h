/* Face outlines: adding pool vertices to their edges, splitting the result into loops, and
 * triangulating it; and the gap that a missing point leaves. */
#ifndef VBSP_FACES_OUTLINE_H
#define VBSP_FACES_OUTLINE_H

#include <stdbool.h>

#include "common/geom/vec.h"
#include "vbsp/faces/vertex_pool.h"

/* The gap that is seen where an edge does not have a point that the faces on its other side have.
 */

struct gap {
    double off;    /* distance of the point from the edge */
    double length; /* of the edge that the point would divide */
    double seen;   /* how visible the gap is, to compare gaps: an area, in square units */
};

/* The gap of an edge from `before` to `after` without the point `at`. */
struct gap gap_without(struct vec3 before, struct vec3 at, struct vec3 after);

/* Vertices added to edges of an outline are stored as complements until it is finished. */
static inline int outline_vertex(int point)
{
    return point < 0 ? ~point : point;
}

/* Appends the complements of the vertices within `near` units of an edge, in order: the nearest
 * ones first, then those on the edges between them, so that an edge gets the same vertices as its
 * parts, which faces on the other side may have. `only` (NULL: all) marks the vertices that may be
 * used. scratch is an stb_ds array, unchanged on return. */
void edge_points(const struct vertex_pool *pool, int from, int to, double near, const bool *only,
                 struct vertex_on_edge **scratch, int **walk);

/* Area of the polygon of `count` points of the outline from `first` on. */
double outline_area(const struct vertex_pool *pool, const int *outline, int first, int count);

struct outline_loop {
    int *points; /* stb_ds array */
};

/* Splits an outline that visits a vertex twice into loops, an stb_ds array. A loop there and back
 * is dropped: the adjacent faces meet there. */
struct outline_loop *outline_loops(const int *walk);

/* --- triangles for faces that a fan cannot draw --- */

/* The first point from which a fan has no degenerate triangle: the outline bends at it and at both
 * of its neighbours. -1: there is none. */
int fan_start(const bool *bends, int count);

/* Triangulates a convex outline with points on its edges without degenerate triangles. Appends
 * three point numbers per triangle, in the outline's winding order, to *indices (an stb_ds array).
 * Returns the number of triangles; count - 2 unless the outline has no area. */
int triangulate_outline(const struct vec3 *points, int count, int **indices);

/* The same with the largest triangle first, and then so on in what is left on each of its sides:
 * fewer pixels are drawn twice along edges. */
int triangulate_largest(const struct vec3 *points, int count, int **indices);

#endif
