/* Convex hulls of small point sets. */
#ifndef VBSP_SOURCE_PHYSICS_PHYSICS_CONVEX_H
#define VBSP_SOURCE_PHYSICS_PHYSICS_CONVEX_H

#include "common/geom/vec.h"

struct convex_triangle {
    int points[3]; /* counter-clockwise from outside */
};

/* Returns the triangles of the hull, an stb_ds array; NULL when the points are coplanar. The
 * farthest points are added first, and points less than `tolerance` outside of the hull are
 * skipped; of the added points none lies in front of a triangle beyond rounding. Quadratic in the
 * count. */
struct convex_triangle *convex_hull(const struct vec3 *points, int count, double tolerance);

#endif
