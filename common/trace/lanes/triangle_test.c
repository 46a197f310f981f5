#include "common/simd/lanes.h"
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

/* Eight lanes from `first` on. */
static inline uint32_t test_eight(const struct plane *plane, const struct triangle_rays *rays,
                                  int first, struct triangle_hits *out)
{
    const struct doubles zero = doubles_all(0);
    struct vectors origin, direction, to[3], normal;
    for (int k = 0; k < 3; k++) {
        origin.e[k] = doubles_load(rays->origin[k] + first);
        direction.e[k] = doubles_load(rays->direction[k] + first);
        normal.e[k] = doubles_all(plane->normal[k]);
        for (int i = 0; i < 3; i++)
            to[i].e[k] = doubles_sub(doubles_all(plane->corner[i][k]), origin.e[k]);
    }
    /* volumes of the ray with each edge: the weight of the corner across from it */
    const struct vectors edge[3] = {cross(&to[1], &to[2]), cross(&to[2], &to[0]),
                                    cross(&to[0], &to[1])};
    struct doubles weight[3];
    uint32_t below = 0, above = 0;
    for (int i = 0; i < 3; i++) {
        weight[i] = dot(&direction, &edge[i]);
        below |= doubles_less_bits(weight[i], zero);
        above |= doubles_less_bits(zero, weight[i]);
    }
    uint32_t inside = ~(below & above) & 0xff;
    if (!inside)
        return 0;
    struct doubles slope = dot(&normal, &direction);
    struct doubles min_square =
        doubles_mul(doubles_all(MIN_COSINE_2 * plane->square), dot(&direction, &direction));
    inside &= doubles_less_bits(min_square, doubles_mul(slope, slope));
    struct doubles distance = doubles_div(dot(&normal, &to[0]), slope);
    inside &= ~doubles_less_bits(distance, doubles_load(rays->near + first)) &
              ~doubles_less_bits(doubles_load(rays->far + first), distance);
    for (int k = 0; k < 3 && inside; k++) {
        struct doubles at = doubles_add(origin.e[k], doubles_mul(distance, direction.e[k]));
        inside &= ~(doubles_less_bits(at, doubles_all(plane->low[k])) |
                    doubles_less_bits(doubles_all(plane->high[k]), at));
    }
    if (!inside)
        return 0;
    struct doubles all = doubles_add(doubles_add(weight[0], weight[1]), weight[2]);
    doubles_store(out->distance + first, distance);
    doubles_store(out->u + first, doubles_div(weight[1], all));
    doubles_store(out->v + first, doubles_div(weight[2], all));
    return inside << first;
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
            hit |= test_eight(&plane, rays, first, out);
    return hit & valid;
}

extern const struct triangle_tests ISA(triangle_tests);
const struct triangle_tests ISA(triangle_tests) = {ISA(triangle_test)};
