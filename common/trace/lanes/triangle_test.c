#include "common/simd/lanes.h"
#include "common/trace/lanes/triangle_filter.h"
#include "common/trace/triangle.h"

/* Square of the smallest cosine between ray and normal. */
#define MIN_COSINE_2 1e-18

struct vectors {
    struct doubles e[3];
};

static inline struct doubles dot(const struct vectors *a, const struct vectors *b)
{
    struct doubles sum = doubles_add(doubles_mul(a->e[0], b->e[0]), doubles_mul(a->e[1], b->e[1]));
    return doubles_add(sum, doubles_mul(a->e[2], b->e[2]));
}

static inline struct vectors cross(const struct vectors *a, const struct vectors *b)
{
    struct vectors out;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out.e[k] = doubles_sub(doubles_mul(a->e[i], b->e[j]), doubles_mul(a->e[j], b->e[i]));
    }
    return out;
}

struct plane {
    double corner[3][3], normal[3], square; /* of the normal's length */
    double low[3], high[3];                 /* bounds with the margin */
};

static inline void make_plane(const float *corners, double margin, struct plane *out)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out->corner[i][k] = (double)corners[3 * i + k];
    out->square = 0;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        const double *a = out->corner[0], *b = out->corner[1], *c = out->corner[2];
        out->normal[k] = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
        out->square += out->normal[k] * out->normal[k];
        double low = b[k] < c[k] ? b[k] : c[k], high = b[k] < c[k] ? c[k] : b[k];
        out->low[k] = (a[k] < low ? a[k] : low) - margin;
        out->high[k] = (a[k] > high ? a[k] : high) + margin;
    }
}

/* Eight rays from `first` on, and the way from each to the corners. */
struct eight_rays {
    struct vectors origin, direction, to[3];
};

static inline struct eight_rays load_eight(const struct plane *plane,
                                           const struct triangle_rays *rays, int first)
{
    struct eight_rays out;
    for (int k = 0; k < 3; k++) {
        out.origin.e[k] = doubles_load(rays->origin[k] + first);
        out.direction.e[k] = doubles_load(rays->direction[k] + first);
        for (int i = 0; i < 3; i++)
            out.to[i].e[k] = doubles_sub(doubles_all(plane->corner[i][k]), out.origin.e[k]);
    }
    return out;
}

/* Volumes of the rays with each edge, d . (p x q) for its ends p and q as seen from the origin: the
 * weights of the corners across from them (Moeller and Trumbore 1997, without the division). In the
 * other triangle of an edge p and q change places: each component of p x q is the difference of the
 * same two products, the other way round, so that the volume has the other sign and no other bit
 * changes. Errors are 7 * 2^-53 D (s + e)^2 at most, in the words of triangle_filter.h. */
static inline void weights_of(const struct vectors *direction, const struct vectors to[3],
                              struct doubles weight[3])
{
    const struct vectors edge[3] = {cross(&to[1], &to[2]), cross(&to[2], &to[0]),
                                    cross(&to[0], &to[1])};
    for (int i = 0; i < 3; i++)
        weight[i] = dot(direction, &edge[i]);
}

/* Returns the lanes between the edges. */
static inline uint32_t between_edges(const struct eight_rays *eight)
{
    const struct doubles zero = doubles_all(0);
    struct doubles weight[3];
    uint32_t below = 0, above = 0;
    weights_of(&eight->direction, eight->to, weight);
    for (int i = 0; i < 3; i++) {
        below |= doubles_less_bits(weight[i], zero);
        above |= doubles_less_bits(zero, weight[i]);
    }
    return ~(below & above) & 0xff;
}

static inline struct vectors normal_of(const struct plane *plane)
{
    struct vectors normal;
    for (int k = 0; k < 3; k++)
        normal.e[k] = doubles_all(plane->normal[k]);
    return normal;
}

/* Returns the lanes with near <= distance <= far. */
static inline uint32_t in_range(const struct triangle_rays *rays, int first,
                                struct doubles distance)
{
    return ~doubles_less_bits(distance, doubles_load(rays->near + first)) &
           ~doubles_less_bits(doubles_load(rays->far + first), distance);
}

/* For lanes that cross the triangle well between its edges. */
static inline uint32_t find_distances(const struct plane *plane, const struct triangle_rays *rays,
                                      int first, struct triangle_hits *out)
{
    struct vectors to, direction, normal = normal_of(plane);
    for (int k = 0; k < 3; k++) {
        direction.e[k] = doubles_load(rays->direction[k] + first);
        to.e[k] =
            doubles_sub(doubles_all(plane->corner[0][k]), doubles_load(rays->origin[k] + first));
    }
    struct doubles distance = doubles_div(dot(&normal, &to), dot(&normal, &direction));
    doubles_store(out->distance + first, distance);
    return in_range(rays, first, distance) & 0xff;
}

static inline uint32_t test_eight(const struct plane *plane, const struct triangle_rays *rays,
                                  int first, struct triangle_hits *out)
{
    struct eight_rays eight = load_eight(plane, rays, first);
    uint32_t inside = between_edges(&eight);
    if (!inside)
        return 0;
    struct vectors normal = normal_of(plane);
    struct doubles slope = dot(&normal, &eight.direction);
    struct doubles min_square = doubles_mul(doubles_all(MIN_COSINE_2 * plane->square),
                                            dot(&eight.direction, &eight.direction));
    inside &= doubles_less_bits(min_square, doubles_mul(slope, slope));
    struct doubles distance = doubles_div(dot(&normal, &eight.to[0]), slope);
    inside &= in_range(rays, first, distance);
    for (int k = 0; k < 3 && inside; k++) {
        struct doubles at =
            doubles_add(eight.origin.e[k], doubles_mul(distance, eight.direction.e[k]));
        inside &= ~(doubles_less_bits(at, doubles_all(plane->low[k])) |
                    doubles_less_bits(doubles_all(plane->high[k]), at));
    }
    doubles_store(out->distance + first, distance);
    return inside;
}

triangle_test ISA(triangle_test);
uint32_t ISA(triangle_test)(const float *corners, double margin, const struct triangle_rays *rays,
                            uint32_t valid, struct triangle_hits *out)
{
    struct plane plane;
    uint32_t hit = 0;
    make_plane(corners, margin, &plane);
    for (int first = 0; first < TRACE_PACKET; first += DOUBLES)
        if (valid >> first & 0xff)
            hit |= test_eight(&plane, rays, first, out) << first;
    return hit & valid;
}

triangle_closest ISA(triangle_closest);
uint32_t ISA(triangle_closest)(const float *corners, const struct triangle_shape *shape,
                               const struct triangle_rays *rays, uint32_t valid,
                               struct triangle_hits *out)
{
    struct plane plane;
    bool has_plane = false;
    uint32_t hit = 0;
    for (int first = 0; first < TRACE_PACKET; first += HALF_FLOATS) {
        uint32_t lanes = valid >> first & 0xff;
        if (!lanes)
            continue;
        struct triangle_verdict verdict = triangle_filter(shape, rays, first, lanes);
        lanes &= ~verdict.misses;
        if (!lanes)
            continue;
        if (!has_plane)
            make_plane(corners, (double)shape->margin, &plane);
        has_plane = true;
        lanes &= lanes & ~verdict.crosses ? test_eight(&plane, rays, first, out)
                                          : find_distances(&plane, rays, first, out);
        hit |= lanes << first;
    }
    return hit;
}

triangle_blocked ISA(triangle_blocked);
uint32_t ISA(triangle_blocked)(const float *corners, const struct triangle_shape *shape,
                               const struct triangle_rays *rays, uint32_t valid)
{
    uint32_t blocked = 0, unsure = 0;
    for (int first = 0; first < TRACE_PACKET; first += HALF_FLOATS) {
        uint32_t lanes = valid >> first & 0xff;
        if (!lanes)
            continue;
        struct triangle_verdict verdict = triangle_filter(shape, rays, first, lanes);
        blocked |= (lanes & verdict.hits) << first;
        unsure |= (lanes & ~(verdict.misses | verdict.hits)) << first;
    }
    struct triangle_hits hits;
    if (unsure)
        blocked |= ISA(triangle_test)(corners, (double)shape->margin, rays, unsure, &hits);
    return blocked;
}

/* Loads corners of a triangle for each of eight lanes, seen from the rays. */
static inline void load_corners(const float *const corners[TRACE_PACKET],
                                const struct triangle_rays *rays, int first, uint32_t lanes,
                                struct vectors to[3])
{
    double corner[DOUBLES];
    for (int n = 0; n < 9; n++) {
        for (int i = 0; i < DOUBLES; i++)
            corner[i] = lanes >> i & 1 ? (double)corners[first + i][n] : 0;
        to[n / 3].e[n % 3] =
            doubles_sub(doubles_load(corner), doubles_load(rays->origin[n % 3] + first));
    }
}

triangle_weigh ISA(triangle_weigh);
void ISA(triangle_weigh)(const float *const corners[TRACE_PACKET], const struct triangle_rays *rays,
                         uint32_t hit, struct triangle_weights *out)
{
    for (int first = 0; first < TRACE_PACKET; first += DOUBLES) {
        uint32_t lanes = hit >> first & 0xff;
        if (!lanes)
            continue;
        struct vectors to[3], direction;
        struct doubles weight[3];
        load_corners(corners, rays, first, lanes, to);
        for (int k = 0; k < 3; k++)
            direction.e[k] = doubles_load(rays->direction[k] + first);
        weights_of(&direction, to, weight);
        struct doubles all = doubles_add(doubles_add(weight[0], weight[1]), weight[2]);
        doubles_store(out->u + first, doubles_div(weight[1], all));
        doubles_store(out->v + first, doubles_div(weight[2], all));
    }
}

extern const struct triangle_tests ISA(triangle_tests);
const struct triangle_tests ISA(triangle_tests) = {ISA(triangle_test), ISA(triangle_closest),
                                                   ISA(triangle_blocked), ISA(triangle_weigh)};
