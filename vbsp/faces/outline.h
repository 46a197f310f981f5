/* Outlines of faces: points of a pool on their edges, what they fall into with them, and their
 * triangles. */
#ifndef VBSP_FACES_OUTLINE_H
#define VBSP_FACES_OUTLINE_H

#include <stdbool.h>

#include "common/geom/vec.h"
#include "vbsp/faces/vertex_pool.h"

/* Points of an outline that were put on its edges are kept as complements until it is finished. */
static inline int outline_vertex(int point)
{
    return point < 0 ? ~point : point;
}

/* Appends the complements of what lies on an edge, within `near` units, in order. The nearest
 * points first, and then what lies on the edges between them: so an edge gets the points that its
 * parts get, which faces beyond it have. `only` (or NULL: all) tells by vertex which may be taken.
 * scratch is a stb_ds array, left as it was. */
void edge_points(const struct vertex_pool *pool, int from, int to, double near, const bool *only,
                 struct vertex_on_edge **scratch, int **walk);

/* Of `count` points of the outline from the `first` on, and of the line that closes them. */
double outline_area(const struct vertex_pool *pool, const int *outline, int first, int count);

struct outline_loop {
    int *points; /* stb_ds array */
};

/* Where an outline comes to a vertex twice, it falls into loops: a stb_ds array. There and back
 * again is none: the faces beside meet there. */
struct outline_loop *outline_loops(const int *walk);

/* --- primitives.c: triangles for faces that a fan cannot draw --- */

/* The number of the first point that can head a fan: the outline bends at it and at both of its
 * neighbours, so that no triangle of the fan is flat. -1: there is none. */
int fan_start(const bool *bends, int count);

/* Triangles that cover a convex outline with points on its edges, none of them flat: three numbers
 * of points each, in the outline's sense, appended to *indices (a stb_ds array). Returns how many
 * triangles; count - 2 but for outlines without area. */
int triangulate_outline(const struct vec3 *points, int count, int **indices);

#endif
