/* Points on an integer grid, and on which side of a plane through three of them a fourth lies:
 * without rounding, so that all answers about a point set agree with each other. */
#ifndef VBSP_SOURCE_PHYSICS_CONVEX_GRID_H
#define VBSP_SOURCE_PHYSICS_CONVEX_GRID_H

#include <stdint.h>

#include "common/geom/vec.h"

/* Holds products of three coordinates of a grid. */
__extension__ typedef __int128 grid_product;

struct grid_point {
    int64_t at[3];
};

struct convex_grid {
    struct grid_point *points;
    double steps_per_unit;
};

/* The plane of a triangle. */
struct grid_plane {
    struct grid_point corner;
    grid_product normal[3];
    double length; /* of the normal; 0 if the corners are collinear */
};

/* Rounds the points to steps of less than 1e-11 of their extent. False, and nothing allocated, if
 * they have no extent or one is not finite. */
bool convex_grid_make(struct convex_grid *grid, const struct vec3 *points, int count);
void convex_grid_free(struct convex_grid *grid);

struct grid_plane convex_grid_plane(const struct convex_grid *grid, const int corners[3]);

/* Distance of the point in front of the plane, in map units. Its sign is exact; 0 for all points if
 * the plane's corners are collinear. */
double convex_grid_height(const struct convex_grid *grid, const struct grid_plane *plane,
                          int point);

#endif
