/* Convex polygons of even radiance as seen from the point 0. */
#ifndef VRAD_LIGHTS_POLYGON_H
#define VRAD_LIGHTS_POLYGON_H

#include "common/geom/vec.h"

/* The part of a polygon in front of the plane through 0. Returns its number of corners, at most
 * count + 1; 0: nothing. */
int polygon_above(const struct vec3 *corners, int count, struct vec3 normal, struct vec3 *out);

/* The vector irradiance of a polygon of radiance 1 (J. H. Lambert's sum over the edges); its
 * corners are unit vectors. Towards the polygon or away from it, as it turns. */
struct vec3 polygon_irradiance(const struct vec3 *corners, int count);

/* The direction to a point of the polygon: even by solid angle over the square of `at`. Corners are
 * unit vectors. Returns the solid angle of the polygon; 0: it is too small to be seen. */
double polygon_direction(const struct vec3 *corners, int count, const double at[2],
                         struct vec3 *direction);

#endif
