/* How far two convex bodies are apart, each given by points: what is between the points belongs to
 * it. (Gilbert, Johnson and Keerthi 1988.) */
#ifndef VBSP_SOURCE_PROPS_CONVEX_DISTANCE_H
#define VBSP_SOURCE_PROPS_CONVEX_DISTANCE_H

#include <stddef.h>

#include "common/geom/vec.h"

/* 0 when they meet. Points need not be corners and may repeat; each list has at least one. Right to
 * about 1e-6 of the bodies' size. */
double convex_distance(const struct vec3 *a, size_t a_count, const struct vec3 *b, size_t b_count);

#endif
