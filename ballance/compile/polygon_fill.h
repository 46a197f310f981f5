/* Cuts a flat area with holes into triangles. */
#ifndef BALLANCE_COMPILE_POLYGON_FILL_H
#define BALLANCE_COMPILE_POLYGON_FILL_H

#include <stddef.h>

struct point2 {
    double x, y;
};

/* An edge of the area's boundary, which lies to the left of it. */
struct polygon_edge {
    int from, to; /* numbers of points */
};

/* Appends triangles to *triangles (an stb_ds array), three numbers of points each,
 * counterclockwise. Each vertex must have as many edges in as out, and a point must not lie on an
 * edge that it is no end of. All edges become edges of triangles, once and in the same direction,
 * and every other edge of a triangle is that of a neighbour: a closed surface stays closed, also
 * when the area has parts that are thinner than the rounding of its points, or outlines that touch
 * themselves. A triangle whose height is below `flat` is made only where nothing else is left.
 * Returns the number of triangles without height. */
size_t polygon_fill(const struct point2 *points, const struct polygon_edge *edges, size_t count,
                    double flat, int **triangles);

#endif
