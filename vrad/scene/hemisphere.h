/* Low-discrepancy directions over a hemisphere: stratified, cosine-weighted, reproducible by
 * seed. */
#ifndef VRAD_SCENE_HEMISPHERE_H
#define VRAD_SCENE_HEMISPHERE_H

#include <stdint.h>

#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/geom/angle.h"
#include "common/geom/vec.h"

static inline uint32_t reverse_bits(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}

/* Point `index` of the two-dimensional (0, 2)-sequence of Sobol, scrambled by the seed: 2^k
 * consecutive points from a multiple of 2^k on fall one each into 2^k equal boxes of any shape.
 *
 * The second coordinate's matrix is Pascal's triangle modulo 2: entry (j, k) is odd when the bits
 * of j are a subset of those of k, so that five steps sum it for all j. */
static inline void sample_scrambled(uint32_t index, uint64_t scramble, double out[2])
{
    uint32_t x = reverse_bits(index), y = index;
    y ^= y >> 16 & 0x0000ffffu;
    y ^= y >> 8 & 0x00ff00ffu;
    y ^= y >> 4 & 0x0f0f0f0fu;
    y ^= y >> 2 & 0x33333333u;
    y ^= y >> 1 & 0x55555555u;
    out[0] = (double)(x ^ (uint32_t)scramble) * 0x1p-32;
    out[1] = (double)(reverse_bits(y) ^ (uint32_t)(scramble >> 32)) * 0x1p-32;
}

static inline uint64_t sample_scramble(uint64_t seed)
{
    return hash_u64(seed + 0x9e3779b97f4a7c15u);
}

static inline void sample_square(uint32_t index, uint64_t seed, double out[2])
{
    sample_scrambled(index, sample_scramble(seed), out);
}

/* Rays sorted by 4 x 4 boxes of the square that their directions come from make coherent
 * packets. */
enum { SAMPLE_BOXES = 16 };

static inline int sample_box(const double square[2])
{
    return (int)(square[0] * 4) * 4 + (int)(square[1] * 4);
}

/* A number of rays that fills the boxes evenly: the power of two from `wanted` (or `otherwise`,
 * when that is not positive) up, 32 .. max. */
static inline int sample_count(int wanted, int otherwise, int max)
{
    int count = 2 * SAMPLE_BOXES;
    while (count < (wanted > 0 ? wanted : otherwise) && count < max)
        count *= 2;
    return count;
}

/* Two axes of a right-handed frame with the unit vector z. */
static inline void frame_around(struct vec3 z, struct vec3 *x, struct vec3 *y)
{
    struct vec3 helper = fabs(z.x) > 0.5 ? vec3(0, 1, 0) : vec3(1, 0, 0);
    *x = vec3_normalize(vec3_cross(helper, z));
    *y = vec3_cross(z, *x);
}

/* Area-preserving map of the square onto the unit sphere. */
static inline struct vec3 sphere_point(const double square[2])
{
    double z = 1 - 2 * square[0], across = sqrt(portable_fmax(1 - z * z, 0));
    double angle = 2 * PI * square[1];
    return vec3(across * portable_cos(angle), across * portable_sin(angle), z);
}

/* The same to 1e-8, by quarters and without calls, so that loops are vectorised. */
static inline void sphere_point_in_quarters(double u, double v, double *x, double *y, double *z)
{
    double height = 1 - 2 * u, across = sqrt((1 - height * height) / 2), sine, cosine;
    double quarter = (double)(int)(4 * v);
    small_sine_cosine(PI / 2 * (4 * v - quarter - 0.5), &sine, &cosine);
    double right = quarter == 1 || quarter == 2 ? -1 : 1, up = quarter >= 2 ? -1 : 1;
    *x = across * (cosine * right - sine * up);
    *y = across * (sine * right + cosine * up);
    *z = height;
}

/* Area-preserving, continuous map of the square onto the unit disk (Shirley and Chiu 1997), lifted
 * onto the sphere: the cosine-weighted hemisphere. z is the cosine. */
static inline struct vec3 square_to_cosine(const double square[2])
{
    double a = 2 * square[0] - 1, b = 2 * square[1] - 1, sine, cosine;
    bool wide = fabs(a) > fabs(b);
    double radius = wide ? a : b, other = wide ? b : a;
    if (radius == 0)
        return vec3(0, 0, 1);
    small_sine_cosine(PI / 4 * (other / radius), &sine, &cosine);
    double x = radius * cosine, y = radius * sine, rest = 1 - radius * radius;
    return vec3(wide ? x : y, wide ? y : x, rest > 0 ? sqrt(rest) : 0);
}

static inline struct vec3 frame_point(struct vec3 local, struct vec3 x, struct vec3 y,
                                      struct vec3 z)
{
    return vec3_mad(vec3_mad(vec3_scale(x, local.x), y, local.y), z, local.z);
}

#endif
