/* Convex hulls of small point sets. */
#ifndef VBSP_SOURCE_PHYSICS_PHYSICS_CONVEX_H
#define VBSP_SOURCE_PHYSICS_PHYSICS_CONVEX_H

#include "common/geom/vec.h"

struct convex_triangle {
    int points[3]; /* counter-clockwise from outside */
};

/* Returns the triangles of the hull, an stb_ds array: each edge is used once in both directions,
 * and all points lie behind all triangles, or less than `tolerance` in front. NULL when the points
 * are coplanar within the tolerance, or not finite. The farthest points are added first. Computes
 * with rounding, which leaves triangles of coplanar points alone, and where that gives no such
 * surface, again without. Quadratic in the count. */
struct convex_triangle *convex_hull(const struct vec3 *points, int count, double tolerance);

#endif
