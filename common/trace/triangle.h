/* Tests a triangle against the rays of a packet, with the same bits on every processor.
 *
 * Two triangles that share an edge leave no gap: the sign of a ray's volume with the edge is
 * exactly the opposite in the other one, and rays that meet it belong to both. Both sides count.
 *
 * Doubles decide. Most tests need none: computed in floats, with a bound for their error, the
 * volumes show already what the doubles would decide. */
#ifndef TRACE_TRIANGLE_H
#define TRACE_TRIANGLE_H

#include "common/simd/cpu_features.h"
#include "common/trace/trace.h"

struct triangle_rays {
    _Alignas(64) double origin[3][TRACE_PACKET];
    _Alignas(64) double direction[3][TRACE_PACKET];
    _Alignas(64) double near[TRACE_PACKET], far[TRACE_PACKET];
    /* The same in floats. `far` may be larger here. */
    struct trace_packet floats;
    _Alignas(64) float size[TRACE_PACKET]; /* of the direction: its largest component */
};

/* A triangle for tests in floats. */
struct triangle_shape {
    float corner[3];
    float to_second[3], from_third[3]; /* edges: b - a and a - c */
    float normal[3];
    /* Error bounds of volumes, by length of the direction: `edge_error` grows with the distance
     * from the corner, `normal_error` does not. */
    float edge_error, normal_error;
    float normal_size; /* infinite if doubles alone are to tell hits */
    float margin;      /* of the bounds */
};

/* Of lanes that hit: distance in multiples of the direction. */
struct triangle_hits {
    _Alignas(64) double distance[TRACE_PACKET];
};

/* Weights of the second and third corner at the point of a hit. */
struct triangle_weights {
    _Alignas(64) double u[TRACE_PACKET], v[TRACE_PACKET];
};

/* Fills `floats` and `size` from a packet, and the doubles from it. */
void triangle_rays_load(const struct trace_packet *packet, struct triangle_rays *out);

/* `margin` is how far a hit may be outside of the bounds. */
void triangle_shape_make(const float *corners, double margin, struct triangle_shape *out);

/* Returns the lanes of `valid` that hit the triangle (9 coordinates) with near <= distance <= far,
 * at a point that is at most `margin` outside of its bounds. Rays that run nearly along the plane,
 * and triangles without area, hit nothing. */
typedef uint32_t triangle_test(const float *corners, double margin,
                               const struct triangle_rays *rays, uint32_t valid,
                               struct triangle_hits *out);

/* The same, by floats where they can tell. */
typedef uint32_t triangle_closest(const float *corners, const struct triangle_shape *shape,
                                  const struct triangle_rays *rays, uint32_t valid,
                                  struct triangle_hits *out);
/* The same, without distances. */
typedef uint32_t triangle_blocked(const float *corners, const struct triangle_shape *shape,
                                  const struct triangle_rays *rays, uint32_t valid);

/* Computes weights for the lanes of `hit`, each with a triangle of its own. */
typedef void triangle_weigh(const float *const corners[TRACE_PACKET],
                            const struct triangle_rays *rays, uint32_t hit,
                            struct triangle_weights *out);

/* The functions of an instruction set. */
struct triangle_tests {
    triangle_test *test;
    triangle_closest *closest;
    triangle_blocked *blocked;
    triangle_weigh *weigh;
};

const struct triangle_tests *triangle_tests_of(enum simd_level level);

#endif
