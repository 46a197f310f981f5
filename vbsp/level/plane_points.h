/* The three points of a side, which only define its plane: editors and tools leave them far outside
 * of the world. */
#ifndef VBSP_LEVEL_PLANE_POINTS_H
#define VBSP_LEVEL_PLANE_POINTS_H

#include <stdbool.h>

#include "common/geom/plane.h"

/* Coordinates beyond this are errors, not planes: a plane through such points is not known to a
 * fraction of a unit. */
#define MAP_PLANE_LIMIT 268435456.0

/* Three points that define the plane, 64 units apart, near the place where it is closest to the
 * origin; clockwise seen from the front. */
void plane_points_of(const struct plane *plane, struct vec3 points[3]);

/* True if the coordinates are within MAP_PLANE_LIMIT; false also when they are not finite. */
bool plane_points_fit(const struct vec3 points[3]);

/* Replaces points outside of MAP_POINT_LIMIT by three of the same plane near the place where it is
 * closest to the origin, clockwise as they were. A plane that is far itself keeps far points, and
 * bounds nothing. False if they are collinear; then they stay. */
bool plane_points_settle(struct vec3 points[3]);

#endif
