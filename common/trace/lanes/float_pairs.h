/* Twice as many floats as float_lanes.h has. */
#ifndef TRACE_LANES_FLOAT_PAIRS_H
#define TRACE_LANES_FLOAT_PAIRS_H

#include "common/trace/lanes/float_lanes.h"

struct float_pairs {
    struct floats a, b;
};

static inline struct float_pairs float_pairs_load(const float a[16], const float b[16])
{
    return (struct float_pairs){floats_load(a), floats_load(b)};
}

static inline void float_pairs_store(float a[16], float b[16], struct float_pairs x)
{
    floats_store(a, x.a);
    floats_store(b, x.b);
}

static inline struct float_pairs float_pairs_all(float value)
{
    return (struct float_pairs){floats_all(value), floats_all(value)};
}

static inline struct float_pairs float_pairs_add(struct float_pairs x, struct float_pairs y)
{
    return (struct float_pairs){floats_add(x.a, y.a), floats_add(x.b, y.b)};
}

static inline struct float_pairs float_pairs_sub(struct float_pairs x, struct float_pairs y)
{
    return (struct float_pairs){floats_sub(x.a, y.a), floats_sub(x.b, y.b)};
}

static inline struct float_pairs float_pairs_mul(struct float_pairs x, struct float_pairs y)
{
    return (struct float_pairs){floats_mul(x.a, y.a), floats_mul(x.b, y.b)};
}

static inline struct float_pairs float_pairs_div(struct float_pairs x, struct float_pairs y)
{
    return (struct float_pairs){floats_div(x.a, y.a), floats_div(x.b, y.b)};
}

static inline struct float_pairs float_pairs_min(struct float_pairs x, struct float_pairs y)
{
    return (struct float_pairs){floats_min(x.a, y.a), floats_min(x.b, y.b)};
}

static inline struct float_pairs float_pairs_max(struct float_pairs x, struct float_pairs y)
{
    return (struct float_pairs){floats_max(x.a, y.a), floats_max(x.b, y.b)};
}

static inline uint32_t float_pairs_less(struct float_pairs x, struct float_pairs y)
{
    return floats_less(x.a, y.a) | floats_less(x.b, y.b) << 16;
}

static inline uint32_t float_pairs_equal(struct float_pairs x, struct float_pairs y)
{
    return floats_equal(x.a, y.a) | floats_equal(x.b, y.b) << 16;
}

static inline struct float_pairs float_pairs_select(uint32_t mask, struct float_pairs yes,
                                                    struct float_pairs no)
{
    return (struct float_pairs){floats_select(mask & 0xffff, yes.a, no.a),
                                floats_select(mask >> 16, yes.b, no.b)};
}

#endif
