/* Vectors of eight 64-bit words of a bit row, in the style of lanes.h. */
#ifndef SIMD_WORDS_H
#define SIMD_WORDS_H

#include "common/simd/lanes.h"

enum { WORDS = 8 };

/* words_any: a has a bit set. words_beyond: words of a with a bit that is not set in b. */

#if defined(__AVX512F__) && defined(__AVX512DQ__)

struct words {
    __m512i v;
};

static inline struct words words_load(const uint64_t *at)
{
    return (struct words){_mm512_loadu_si512(at)};
}

static inline void words_store(uint64_t *at, struct words a)
{
    _mm512_storeu_si512(at, a.v);
}

static inline struct words words_and(struct words a, struct words b)
{
    return (struct words){_mm512_and_si512(a.v, b.v)};
}

static inline bool words_any(struct words a)
{
    return _mm512_test_epi64_mask(a.v, a.v) != 0;
}

static inline lane_bits words_beyond(struct words a, struct words b)
{
    __m512i left = _mm512_andnot_si512(b.v, a.v);
    return _mm512_test_epi64_mask(left, left);
}

#else

struct words {
    uint64_t v[WORDS];
};

static inline struct words words_load(const uint64_t *at)
{
    struct words a;
    memcpy(a.v, at, sizeof a.v);
    return a;
}

static inline void words_store(uint64_t *at, struct words a)
{
    memcpy(at, a.v, sizeof a.v);
}

static inline struct words words_and(struct words a, struct words b)
{
    for (int i = 0; i < WORDS; i++)
        a.v[i] &= b.v[i];
    return a;
}

static inline bool words_any(struct words a)
{
    uint64_t any = 0;
    for (int i = 0; i < WORDS; i++)
        any |= a.v[i];
    return any != 0;
}

static inline lane_bits words_beyond(struct words a, struct words b)
{
    lane_bits any = 0;
    for (int i = 0; i < WORDS; i++)
        any |= (lane_bits)((a.v[i] & ~b.v[i]) != 0) << i;
    return any;
}

#endif

#endif
