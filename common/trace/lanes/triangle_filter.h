/* Tests a triangle against eight rays in single precision. With the ray o + t d, the corners a, b,
 * c, the normal n = (b - a) x (c - a), and m = d x (a - o), the test of Moeller and Trumbore (1997)
 * is
 *
 *   V1 = (a - c) . m,   V2 = (b - a) . m,   V0 = n . d - V1 - V2,   t = n . (a - o) / n . d:
 *
 * V0, V1 and V2 are six times the signed volumes of d with the three edges, and their sum is the
 * slope n . d; the ray crosses the triangle where they all have one sign.
 *
 * With u = 2^-24, the unit of rounding, s = |a - o|, e the longer edge and |n| (sums along the
 * axes), and D the largest component of d, floats compute V within (17 s e + 6 |n|) u D, n . d
 * within 4 |n| u D and n . (a - o) within 5 |n| u s of the exact values, to first order (Higham
 * 2002, chapter 3; triangle.c has the parts). So, with room for higher orders and for the errors of
 * the doubles that decide the rest,
 *
 *   error(V) = D (s (24 u e + FILTER_FAR_ERROR s) + normal_error) + FILTER_TINY,
 *   normal_error = 8 u |n| + 2^-48 e^2:
 *
 * volumes beyond it of both signs show a miss, all beyond it of one sign a crossing, and anything
 * else nothing. */
#ifndef TRACE_LANES_TRIANGLE_FILTER_H
#define TRACE_LANES_TRIANGLE_FILTER_H

#include "common/simd/lanes.h"
#include "common/trace/triangle.h"

/* Error bounds beyond this are of numbers up to 2^24 times as large, of which products may not be
 * finite in floats: doubles decide. */
#define FILTER_LIMIT 1e25F
/* Added to the bounds for numbers too small to be stored. */
#define FILTER_TINY 1e-19F
/* Bound of the error of the doubles' volumes, 7 * 2^-53 D (s + e)^2, as a share of D s^2 where s >=
 * e: 28 * 2^-53, with room. Where s < e the 2^-48 e^2 of normal_error are above it. */
#define FILTER_FAR_ERROR (24 * 0x1p-44F)
/* A ray has at least this slope, as a share, if its hit is to be as near to the exact one as the
 * margin of the bounds asks, and its origin at most a margin away, as a share. */
#define FILTER_SLOPE  0x1p-10F
#define FILTER_AWAY   0x1p-24F
#define FILTER_BEYOND 1e30F
/* Error of a distance times a slope and of a difference from it, 4 u, as a share. */
#define FILTER_ROUNDING 0x1p-22F

/* Lanes of eight. Others are for the doubles to decide. */
struct triangle_verdict {
    uint32_t misses;
    uint32_t crosses; /* the triangle, well within its edges; the distance may not be in range */
    uint32_t hits;    /* of these, with the distance in range */
};

/* Eight rays, as seen from the first corner. */
struct filter_rays {
    struct half_floats way[3], to[3]; /* `to` the corner */
    struct half_floats size, away;    /* sizes of the two, as the errors need them */
};

/* The least and the greatest of V0, V1 and V2, and their sum, the slope. */
struct filter_volumes {
    struct half_floats min, max, slope;
};

static inline struct half_floats filter_dot(const float *a, const struct half_floats b[3])
{
    return half_floats_dot(half_floats_all(a[0]), half_floats_all(a[1]), half_floats_all(a[2]),
                           b[0], b[1], b[2]);
}

static inline struct filter_rays filter_load(const struct triangle_shape *shape,
                                             const struct triangle_rays *rays, int first)
{
    struct filter_rays out = {.size = half_floats_load(rays->size + first)};
    for (int k = 0; k < 3; k++) {
        out.way[k] = half_floats_load(rays->floats.direction[k] + first);
        out.to[k] = half_floats_sub(half_floats_all(shape->corner[k]),
                                    half_floats_load(rays->floats.origin[k] + first));
    }
    out.away =
        half_floats_add(half_floats_add(half_floats_abs(out.to[0]), half_floats_abs(out.to[1])),
                        half_floats_abs(out.to[2]));
    return out;
}

static inline struct filter_volumes filter_volumes_of(const struct triangle_shape *shape,
                                                      const struct filter_rays *rays)
{
    struct half_floats moment[3], volume[3];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        moment[k] = half_floats_sub(half_floats_mul(rays->way[i], rays->to[j]),
                                    half_floats_mul(rays->way[j], rays->to[i]));
    }
    struct half_floats slope = filter_dot(shape->normal, rays->way);
    volume[1] = filter_dot(shape->from_third, moment);
    volume[2] = filter_dot(shape->to_second, moment);
    volume[0] = half_floats_sub(half_floats_sub(slope, volume[1]), volume[2]);
    return (struct filter_volumes){
        half_floats_min(half_floats_min(volume[0], volume[1]), volume[2]),
        half_floats_max(half_floats_max(volume[0], volume[1]), volume[2]), slope};
}

/* error(V). */
static inline struct half_floats filter_error(const struct triangle_shape *shape,
                                              const struct filter_rays *rays)
{
    struct half_floats share =
        half_floats_add(half_floats_all(shape->edge_error),
                        half_floats_mul(rays->away, half_floats_all(FILTER_FAR_ERROR)));
    struct half_floats error =
        half_floats_add(half_floats_mul(rays->away, share), half_floats_all(shape->normal_error));
    return half_floats_add(half_floats_mul(rays->size, error), half_floats_all(FILTER_TINY));
}

/* Compares t = height / slope, slope > 0, with a distance, by the sign of height - distance *
 * slope. Its error is at most that of the height, and distance times that of the slope and of
 * rounding. */
struct filter_order {
    uint32_t before, after; /* lanes with a distance that is surely less, or more */
};

static inline struct filter_order
filter_compare(struct half_floats height, struct half_floats height_error, struct half_floats slope,
               struct half_floats slope_error, struct half_floats distance)
{
    struct half_floats gap = half_floats_sub(height, half_floats_mul(distance, slope));
    struct half_floats more =
        half_floats_add(slope_error, half_floats_mul(slope, half_floats_all(FILTER_ROUNDING)));
    struct half_floats error = half_floats_add(height_error, half_floats_mul(distance, more));
    return (struct filter_order){
        half_floats_less_bits(gap, half_floats_sub(half_floats_all(0), error)),
        half_floats_less_bits(error, gap)};
}

/* Looks at the distances of lanes that do not miss. */
static inline void filter_distances(const struct triangle_shape *shape,
                                    const struct triangle_rays *rays, int first,
                                    const struct filter_rays *eight, struct half_floats slope,
                                    struct triangle_verdict *out)
{
    const struct half_floats zero = half_floats_all(0), tiny = half_floats_all(FILTER_TINY);
    const struct half_floats normal_error = half_floats_all(shape->normal_error);
    struct half_floats height = filter_dot(shape->normal, eight->to);
    height =
        half_floats_select(half_floats_less(slope, zero), half_floats_sub(zero, height), height);
    slope = half_floats_abs(slope);
    struct half_floats height_error =
        half_floats_add(half_floats_mul(eight->away, normal_error), tiny);
    struct half_floats slope_error =
        half_floats_add(half_floats_mul(eight->size, normal_error), tiny);
    uint32_t known = half_floats_less_bits(slope_error, slope) &
                     half_floats_less_bits(height_error, half_floats_all(FILTER_LIMIT));
    struct half_floats far = half_floats_load(rays->floats.far + first);
    struct filter_order to_near = filter_compare(height, height_error, slope, slope_error,
                                                 half_floats_load(rays->floats.near + first));
    struct filter_order to_far =
        filter_compare(height, height_error, slope, slope_error,
                       half_floats_min(far, half_floats_all(FILTER_BEYOND)));
    uint32_t is_far = half_floats_less_bits(far, half_floats_all(FILTER_BEYOND));
    struct half_floats steep =
        half_floats_mul(eight->size, half_floats_all(shape->normal_size * FILTER_SLOPE));
    out->misses |= known & (to_near.before | (to_far.after & is_far));
    out->crosses &=
        known & half_floats_less_bits(steep, slope) &
        half_floats_less_bits(half_floats_mul(eight->away, half_floats_all(FILTER_AWAY)),
                              half_floats_all(shape->margin)) &
        ~out->misses;
    out->hits = out->crosses & to_near.after & to_far.before;
}

/* Rays from `first` on. */
static inline struct triangle_verdict triangle_filter(const struct triangle_shape *shape,
                                                      const struct triangle_rays *rays, int first,
                                                      uint32_t valid)
{
    struct filter_rays eight = filter_load(shape, rays, first);
    struct filter_volumes volumes = filter_volumes_of(shape, &eight);
    struct half_floats error = filter_error(shape, &eight);
    struct half_floats minus = half_floats_sub(half_floats_all(0), error);
    uint32_t bounded = half_floats_less_bits(error, half_floats_all(FILTER_LIMIT));
    uint32_t below = half_floats_less_bits(volumes.min, minus);
    uint32_t above = half_floats_less_bits(error, volumes.max);
    struct triangle_verdict out = {below & above & bounded, 0, 0};
    if (!(valid & ~out.misses))
        return out;
    out.crosses = bounded & (half_floats_less_bits(error, volumes.min) |
                             half_floats_less_bits(volumes.max, minus));
    filter_distances(shape, rays, first, &eight, volumes.slope, &out);
    return out;
}

#endif
