/* Vectors of floats or doubles: registers of AVX-512, two of AVX2, four of SSE2, arrays elsewhere.
 *
 * A file that uses this is in a folder called `lanes`, and is compiled once for each level of
 * cpu_features.h. All of them do the same operations on each lane in the same order, none fuses
 * any, and so they give the same bits.
 *
 *   struct floats            16 of them; half_floats: 8; floats_pair: 32
 *   struct doubles           8 of them
 *   struct floats_mask ...   yes or no for each lane
 *
 * with, for each of these types (here `floats`),
 *
 *   floats_load, _store            from and to memory, aligned or not
 *   floats_all                     the same in each lane
 *   floats_add, _sub, _mul, _div, _sqrt, _abs, _dot
 *   floats_min, _max               the second where either is NaN
 *   floats_less, _equal            a mask: a < b, a == b
 *   floats_and, _or, _without      of masks; a and not b
 *   floats_none                    of a mask: no lane is set
 *   floats_bits, _mask_of          of a mask: bit i for lane i, and back
 *   floats_select                  the first where the mask is set, else the second
 *   floats_less_bits, _equal_bits, _select_bits   the same with bits for the mask */
#ifndef SIMD_LANES_H
#define SIMD_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define SIMD_SUFFIX avx512
#elif defined(__AVX2__)
#define SIMD_SUFFIX avx2
#else
#define SIMD_SUFFIX plain
#endif

#define SIMD_PASTE_(a, b) a##_##b
#define SIMD_PASTE(a, b)  SIMD_PASTE_(a, b)

/* Name of a function or table of this level. */
#define ISA(name) SIMD_PASTE(name, SIMD_SUFFIX)

/* Bit i is lane i. */
typedef uint32_t lane_bits;

enum { FLOATS = 16, HALF_FLOATS = 8, DOUBLES = 8 };

/* Comparisons as AVX names them. */
#define SIMD_lt _CMP_LT_OQ
#define SIMD_eq _CMP_EQ_OQ

#if defined(__AVX512F__) && defined(__AVX512DQ__)

#define LANES              floats
#define SCALAR             float
#define VECTOR             __m512
#define VECTOR_(op)        _mm512_##op##_ps
#define COMPARE(a, b, how) _mm512_cmp_ps_mask(a, b, SIMD_##how)
#define MASK               __mmask16
#include "common/simd/lanes_template.h"

#define LANES              half_floats
#define SCALAR             float
#define VECTOR             __m256
#define VECTOR_(op)        _mm256_##op##_ps
#define COMPARE(a, b, how) _mm256_cmp_ps_mask(a, b, SIMD_##how)
#define MASK               __mmask8
#include "common/simd/lanes_template.h"

#define LANES              doubles
#define SCALAR             double
#define VECTOR             __m512d
#define VECTOR_(op)        _mm512_##op##_pd
#define COMPARE(a, b, how) _mm512_cmp_pd_mask(a, b, SIMD_##how)
#define MASK               __mmask8
#include "common/simd/lanes_template.h"

#elif defined(__AVX2__)

static inline __m256 half_floats_of_bits(lane_bits bits)
{
    const __m256i each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i set = _mm256_and_si256(_mm256_set1_epi32((int)bits), each);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, each));
}

static inline __m256d half_doubles_of_bits(lane_bits bits)
{
    const __m256i each = _mm256_setr_epi64x(1, 2, 4, 8);
    __m256i set = _mm256_and_si256(_mm256_set1_epi64x(bits), each);
    return _mm256_castsi256_pd(_mm256_cmpeq_epi64(set, each));
}

#define LANES              half_floats
#define SCALAR             float
#define VECTOR             __m256
#define VECTOR_(op)        _mm256_##op##_ps
#define VECTOR_OF_BITS     half_floats_of_bits
#define COMPARE(a, b, how) _mm256_cmp_ps(a, b, SIMD_##how)
#include "common/simd/lanes_template.h"

#define LANES  floats
#define SCALAR float
#define COUNT  16
#define HALF   half_floats
#include "common/simd/lanes_template.h"

#define LANES              half_doubles
#define SCALAR             double
#define VECTOR             __m256d
#define VECTOR_(op)        _mm256_##op##_pd
#define VECTOR_OF_BITS     half_doubles_of_bits
#define COMPARE(a, b, how) _mm256_cmp_pd(a, b, SIMD_##how)
#include "common/simd/lanes_template.h"

#define LANES  doubles
#define SCALAR double
#define COUNT  8
#define HALF   half_doubles
#include "common/simd/lanes_template.h"

#elif defined(__SSE2__)

static inline __m128 quarter_floats_of_bits(lane_bits bits)
{
    const __m128i each = _mm_setr_epi32(1, 2, 4, 8);
    __m128i set = _mm_and_si128(_mm_set1_epi32((int)bits), each);
    return _mm_castsi128_ps(_mm_cmpeq_epi32(set, each));
}

/* Without a comparison of 64 bits. */
static inline __m128d quarter_doubles_of_bits(lane_bits bits)
{
    const __m128i each = _mm_setr_epi32(1, 1, 2, 2);
    __m128i set = _mm_and_si128(_mm_set1_epi32((int)bits), each);
    return _mm_castsi128_pd(_mm_cmpeq_epi32(set, each));
}

#define LANES              quarter_floats
#define SCALAR             float
#define VECTOR             __m128
#define VECTOR_(op)        _mm_##op##_ps
#define VECTOR_OF_BITS     quarter_floats_of_bits
#define COMPARE(a, b, how) _mm_cmp##how##_ps(a, b)
#define NO_BLEND
#include "common/simd/lanes_template.h"

#define LANES  half_floats
#define SCALAR float
#define COUNT  8
#define HALF   quarter_floats
#include "common/simd/lanes_template.h"

#define LANES  floats
#define SCALAR float
#define COUNT  16
#define HALF   half_floats
#include "common/simd/lanes_template.h"

#define LANES              quarter_doubles
#define SCALAR             double
#define VECTOR             __m128d
#define VECTOR_(op)        _mm_##op##_pd
#define VECTOR_OF_BITS     quarter_doubles_of_bits
#define COMPARE(a, b, how) _mm_cmp##how##_pd(a, b)
#define NO_BLEND
#include "common/simd/lanes_template.h"

#define LANES  half_doubles
#define SCALAR double
#define COUNT  4
#define HALF   quarter_doubles
#include "common/simd/lanes_template.h"

#define LANES  doubles
#define SCALAR double
#define COUNT  8
#define HALF   half_doubles
#include "common/simd/lanes_template.h"

#else

#define LANES  floats
#define SCALAR float
#define COUNT  16
#include "common/simd/lanes_template.h"

#define LANES  half_floats
#define SCALAR float
#define COUNT  8
#include "common/simd/lanes_template.h"

#define LANES  doubles
#define SCALAR double
#define COUNT  8
#include "common/simd/lanes_template.h"

#endif

#define LANES  floats_pair
#define HALF   floats
#define SCALAR float
#define COUNT  32
#include "common/simd/lanes_template.h"

/* ---- doubles only ----
 *
 *   doubles_halves(a, b)        four from each
 *   doubles_both(a, b)          a in the first half, b in the last
 *   doubles_reduce_min(a)       of all lanes
 *   doubles_pack(at, mask, a)   stores the lanes of the mask one after the other; those after them
 *                               get anything */

#if defined(__AVX512F__) && defined(__AVX512DQ__)

static inline struct doubles doubles_halves(const double *a, const double *b)
{
    __m512d low = _mm512_castpd256_pd512(_mm256_loadu_pd(a));
    return (struct doubles){_mm512_insertf64x4(low, _mm256_loadu_pd(b), 1)};
}

static inline struct doubles doubles_both(double a, double b)
{
    __m512d low = _mm512_castpd256_pd512(_mm256_set1_pd(a));
    return (struct doubles){_mm512_insertf64x4(low, _mm256_set1_pd(b), 1)};
}

static inline double doubles_reduce_min(struct doubles a)
{
    return _mm512_reduce_min_pd(a.v);
}

static inline void doubles_pack(double *at, struct doubles_mask mask, struct doubles a)
{
    _mm512_storeu_pd(at, _mm512_maskz_compress_pd(mask.m, a.v));
}

#define DOUBLES_WEAVE

/* How two vectors are merged into one: lane i of the first if `kept` has bit i, then lane i of the
 * second if `crossed` has it; the lanes after the last are copies of the first ones. At most
 * eight. */
struct doubles_order {
    __m512i from; /* for each lane of the result: which of the 16 */
};

/* Numbers of four bits while they are sorted: 0, 8, 1, 9 and so on. */
static inline struct doubles_order doubles_order_of(unsigned kept, unsigned crossed, int count)
{
    uint64_t wanted = _pdep_u64(kept, 0x0101010101010101) | _pdep_u64(crossed, 0x1010101010101010);
    uint64_t from = _pext_u64(0xf7e6d5c4b3a29180, 15 * wanted);
    from |= (from & 15) * 0x11111111 << 4 * count;
    uint64_t bytes = _pdep_u64(from, 0x0f0f0f0f0f0f0f0f);
    return (struct doubles_order){_mm512_cvtepu8_epi64(_mm_cvtsi64_si128((long long)bytes))};
}

static inline struct doubles doubles_weave(struct doubles a, struct doubles b,
                                           struct doubles_order order)
{
    return (struct doubles){_mm512_permutex2var_pd(a.v, order.from, b.v)};
}

/* Returns the next lane for each lane. The last lane gets the lane after the valid ones, a copy of
 * the first. */
static inline struct doubles doubles_next(struct doubles a)
{
    __m512i bits = _mm512_castpd_si512(a.v);
    return (struct doubles){_mm512_castsi512_pd(_mm512_alignr_epi64(bits, bits, 1))};
}

#else

#ifdef __SSE2__

static inline struct doubles doubles_halves(const double *a, const double *b)
{
    return (struct doubles){half_doubles_load(a), half_doubles_load(b)};
}

static inline struct doubles doubles_both(double a, double b)
{
    return (struct doubles){half_doubles_all(a), half_doubles_all(b)};
}

#else

static inline struct doubles doubles_halves(const double *a, const double *b)
{
    struct doubles both;
    for (int i = 0; i < DOUBLES; i++)
        both.v[i] = i < DOUBLES / 2 ? a[i] : b[i - DOUBLES / 2];
    return both;
}

static inline struct doubles doubles_both(double a, double b)
{
    struct doubles both;
    for (int i = 0; i < DOUBLES; i++)
        both.v[i] = i < DOUBLES / 2 ? a : b;
    return both;
}

#endif

static inline double doubles_reduce_min(struct doubles a)
{
    double all[DOUBLES];
    doubles_store(all, a);
    double min = all[0];
    for (int i = 1; i < DOUBLES; i++)
        min = all[i] < min ? all[i] : min;
    return min;
}

static inline void doubles_pack(double *at, struct doubles_mask mask, struct doubles a)
{
    double all[DOUBLES];
    doubles_store(all, a);
    for (lane_bits left = doubles_bits(mask); left; left &= left - 1)
        *at++ = all[__builtin_ctz(left)];
}

#endif

#endif
