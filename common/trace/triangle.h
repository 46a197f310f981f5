/* Tests a triangle against the rays of a packet, in doubles, with the same bits on every processor.
 *
 * Two triangles that share an edge leave no gap: the sign of a ray's volume with the edge is
 * exactly the opposite in the other one, and rays that meet it belong to both. Both sides count. */
#ifndef TRACE_TRIANGLE_H
#define TRACE_TRIANGLE_H

#include "common/simd/cpu_features.h"
#include "common/trace/trace.h"

struct triangle_rays {
    _Alignas(64) double origin[3][TRACE_PACKET];
    _Alignas(64) double direction[3][TRACE_PACKET];
    _Alignas(64) double near[TRACE_PACKET], far[TRACE_PACKET];
};

/* Of lanes that hit: distance in multiples of the direction, and the weights of the second and
 * third corner at the point. */
struct triangle_hits {
    _Alignas(64) double distance[TRACE_PACKET], u[TRACE_PACKET], v[TRACE_PACKET];
};

/* Returns the lanes of `valid` that hit the triangle (9 coordinates) with near <= distance <= far,
 * at a point that is at most `margin` outside of its bounds. Rays that run nearly along the plane,
 * and triangles without area, hit nothing. */
typedef uint32_t triangle_test(const float *corners, double margin,
                               const struct triangle_rays *rays, uint32_t valid,
                               struct triangle_hits *out);

/* The functions of an instruction set. */
struct triangle_tests {
    triangle_test *test;
};

const struct triangle_tests *triangle_tests_of(enum simd_level level);

#endif
