/* The distance between two convex bodies, each the convex hull of points. (Gilbert, Johnson and
 * Keerthi 1988.) */
#ifndef VBSP_SOURCE_PROPS_CONVEX_DISTANCE_H
#define VBSP_SOURCE_PROPS_CONVEX_DISTANCE_H

#include <stddef.h>

#include "common/geom/vec.h"

/* 0 when they intersect. Points need not be corners and may repeat; each list has at least one.
 * Accurate to about 1e-6 of the bodies' size. */
double convex_distance(const struct vec3 *a, size_t a_count, const struct vec3 *b, size_t b_count);

#endif
