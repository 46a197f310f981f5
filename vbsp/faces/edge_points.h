/* Which points of a pool lie on the edges of an outline, and into what it falls with them. */
#ifndef VBSP_FACES_EDGE_POINTS_H
#define VBSP_FACES_EDGE_POINTS_H

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

struct outline_loop {
    int *points; /* stb_ds array */
};

/* Where an outline comes to a vertex twice, it falls into loops: a stb_ds array. There and back
 * again is none: the faces beside meet there. */
struct outline_loop *outline_loops(const int *walk);

#endif
