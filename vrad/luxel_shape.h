/* Convex polygons in luxel coordinates: what of a face lies in a luxel's square. */
#ifndef VRAD_LUXEL_SHAPE_H
#define VRAD_LUXEL_SHAPE_H

#include <stdbool.h>

/* Room for what a luxel's square leaves of a polygon of at most SHAPE_POINTS - 8 corners. */
enum { SHAPE_POINTS = 68 };

struct point2 {
    double s, t;
};

/* The part of the polygon within the square of side 1 around (s, t); out has room for
 * SHAPE_POINTS. Returns how many: 0 when nothing is left. */
int shape_clip(const struct point2 *polygon, int count, double s, double t, struct point2 *out);

double shape_area(const struct point2 *polygon, int count);

/* The centre of gravity; the mean of the points when there is no area. */
struct point2 shape_center(const struct point2 *polygon, int count);

/* The point of the polygon (with its inside) nearest to (s, t). */
struct point2 shape_nearest(const struct point2 *polygon, int count, double s, double t);

/* Whether the polygon is the whole square of side 1 around (s, t), to rounding. */
bool shape_is_square(const struct point2 *polygon, int count, double s, double t);

/* Maps the unit square onto the polygon, equal areas to equal areas and neighbours to neighbours,
 * so that an even pattern stays even. */
struct point2 shape_sample(const struct point2 *polygon, int count, double u, double v);

#endif
