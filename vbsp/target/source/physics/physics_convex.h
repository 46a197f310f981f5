/* The convex hull of a few points. */
#ifndef VBSP_SOURCE_PHYSICS_PHYSICS_CONVEX_H
#define VBSP_SOURCE_PHYSICS_PHYSICS_CONVEX_H

#include "common/geom/vec.h"

struct convex_triangle {
    int points[3]; /* counter-clockwise from outside */
};

/* An stb_ds array of the triangles of the hull; NULL when the points lie in a plane. Points less
 * than `tolerance` outside of what is there are left out, the farthest ones coming first; of those
 * that are left none lies in front of a triangle by more than rounding. Work is quadratic in the
 * count. */
struct convex_triangle *convex_hull(const struct vec3 *points, int count, double tolerance);

#endif
