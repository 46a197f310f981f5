/* Eight doubles at a time: one register of AVX-512, two of AVX2, an array elsewhere.
 *
 * A file that uses this is compiled once for each instruction set. All of them do the same
 * operations on each double in the same order, none fuses any, and so they give the same bits. */
#ifndef VVIS_FLOW_LANES_LANES_H
#define VVIS_FLOW_LANES_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define ISA_SUFFIX avx512
#elif defined(__AVX2__)
#define ISA_SUFFIX avx2
#else
#define ISA_SUFFIX plain
#endif

/* The name of a function that each instruction set has its own of. */
#define ISA_PASTE_(name, suffix) name##_##suffix
#define ISA_PASTE(name, suffix)  ISA_PASTE_(name, suffix)
#define ISA(name)                ISA_PASTE(name, ISA_SUFFIX)

enum { LANES = 8 };

/* A mask's bit i stands for lane i. */
typedef unsigned lane_bits;

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>

struct lanes {
    __m512d v;
};

struct lane_mask {
    __mmask8 m;
};

static inline struct lanes lanes_load(const double *at)
{
    return (struct lanes){_mm512_loadu_pd(at)};
}

static inline void lanes_store(double *at, struct lanes a)
{
    _mm512_storeu_pd(at, a.v);
}

static inline struct lanes lanes_all(double value)
{
    return (struct lanes){_mm512_set1_pd(value)};
}

static inline struct lanes lanes_add(struct lanes a, struct lanes b)
{
    return (struct lanes){_mm512_add_pd(a.v, b.v)};
}

static inline struct lanes lanes_sub(struct lanes a, struct lanes b)
{
    return (struct lanes){_mm512_sub_pd(a.v, b.v)};
}

static inline struct lanes lanes_mul(struct lanes a, struct lanes b)
{
    return (struct lanes){_mm512_mul_pd(a.v, b.v)};
}

static inline struct lanes lanes_div(struct lanes a, struct lanes b)
{
    return (struct lanes){_mm512_div_pd(a.v, b.v)};
}

static inline struct lanes lanes_root(struct lanes a)
{
    return (struct lanes){_mm512_sqrt_pd(a.v)};
}

static inline struct lanes lanes_abs(struct lanes a)
{
    return (struct lanes){_mm512_andnot_pd(_mm512_set1_pd(-0.0), a.v)};
}

static inline struct lane_mask lanes_less(struct lanes a, struct lanes b)
{
    return (struct lane_mask){_mm512_cmp_pd_mask(a.v, b.v, _CMP_LT_OQ)};
}

static inline lane_bits mask_bits(struct lane_mask a)
{
    return a.m;
}

static inline struct lane_mask mask_none(void)
{
    return (struct lane_mask){0};
}

static inline struct lane_mask mask_and(struct lane_mask a, struct lane_mask b)
{
    return (struct lane_mask){(__mmask8)(a.m & b.m)};
}

static inline struct lane_mask mask_or(struct lane_mask a, struct lane_mask b)
{
    return (struct lane_mask){(__mmask8)(a.m | b.m)};
}

/* b where a is not. */
static inline struct lane_mask mask_without(struct lane_mask b, struct lane_mask a)
{
    return (struct lane_mask){(__mmask8)(b.m & ~a.m)};
}

static inline struct lanes lanes_select(struct lane_mask mask, struct lanes yes, struct lanes no)
{
    return (struct lanes){_mm512_mask_blend_pd(mask.m, no.v, yes.v)};
}

static inline double lanes_least(struct lanes a)
{
    return _mm512_reduce_min_pd(a.v);
}

/* Four from each. */
static inline struct lanes lanes_halves(const double *a, const double *b)
{
    __m512d low = _mm512_castpd256_pd512(_mm256_loadu_pd(a));
    return (struct lanes){_mm512_insertf64x4(low, _mm256_loadu_pd(b), 1)};
}

/* a in the first half, b in the last. */
static inline struct lanes lanes_both(double a, double b)
{
    __m512d low = _mm512_castpd256_pd512(_mm256_set1_pd(a));
    return (struct lanes){_mm512_insertf64x4(low, _mm256_set1_pd(b), 1)};
}

/* Stores the lanes of the mask one after the other; those behind them get anything. */
static inline void lanes_pack(double *at, struct lane_mask mask, struct lanes a)
{
    _mm512_storeu_pd(at, _mm512_maskz_compress_pd(mask.m, a.v));
}

/* Eight words of a row. */
struct word_lanes {
    __m512i v;
};

static inline struct word_lanes words_load(const uint64_t *at)
{
    return (struct word_lanes){_mm512_loadu_si512(at)};
}

static inline void words_store(uint64_t *at, struct word_lanes a)
{
    _mm512_storeu_si512(at, a.v);
}

static inline struct word_lanes words_and(struct word_lanes a, struct word_lanes b)
{
    return (struct word_lanes){_mm512_and_si512(a.v, b.v)};
}

/* Whether a has a bit. */
static inline bool words_any(struct word_lanes a)
{
    return _mm512_test_epi64_mask(a.v, a.v) != 0;
}

/* Which words of a have a bit that those of b have not. */
static inline lane_bits words_beyond(struct word_lanes a, struct word_lanes b)
{
    __m512i left = _mm512_andnot_si512(b.v, a.v);
    return _mm512_test_epi64_mask(left, left);
}

#define LANES_WEAVE
#define LANES_WORDS

/* How two sets of lanes become one: lane i of the first where `kept` has bit i, then lane i of the
 * second where `crossed` has it; behind the last, copies of what came first. Eight or fewer. */
struct lanes_weave {
    __m512i from; /* for each lane of the result: which of the 16 */
};

/* Numbers of four bits while they are sorted out: 0, 8, 1, 9 and so on. */
static inline struct lanes_weave lanes_weave_of(unsigned kept, unsigned crossed, int count)
{
    uint64_t wanted = _pdep_u64(kept, 0x0101010101010101) | _pdep_u64(crossed, 0x1010101010101010);
    uint64_t from = _pext_u64(0xf7e6d5c4b3a29180, 15 * wanted);
    from |= (from & 15) * 0x11111111 << 4 * count;
    uint64_t bytes = _pdep_u64(from, 0x0f0f0f0f0f0f0f0f);
    return (struct lanes_weave){_mm512_cvtepu8_epi64(_mm_cvtsi64_si128((long long)bytes))};
}

/* The lane after each. After the last comes what is behind it, a copy of the first, or that. */
static inline struct lanes lanes_next(struct lanes a)
{
    __m512i bits = _mm512_castpd_si512(a.v);
    return (struct lanes){_mm512_castsi512_pd(_mm512_alignr_epi64(bits, bits, 1))};
}

static inline struct lanes lanes_weave(struct lanes a, struct lanes b, struct lanes_weave weave)
{
    return (struct lanes){_mm512_permutex2var_pd(a.v, weave.from, b.v)};
}

#elif defined(__AVX2__)
#include <immintrin.h>

struct lanes {
    __m256d a, b;
};

struct lane_mask {
    __m256d a, b;
};

static inline struct lanes lanes_load(const double *at)
{
    return (struct lanes){_mm256_loadu_pd(at), _mm256_loadu_pd(at + 4)};
}

static inline void lanes_store(double *at, struct lanes x)
{
    _mm256_storeu_pd(at, x.a);
    _mm256_storeu_pd(at + 4, x.b);
}

static inline struct lanes lanes_all(double value)
{
    return (struct lanes){_mm256_set1_pd(value), _mm256_set1_pd(value)};
}

static inline struct lanes lanes_add(struct lanes x, struct lanes y)
{
    return (struct lanes){_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)};
}

static inline struct lanes lanes_sub(struct lanes x, struct lanes y)
{
    return (struct lanes){_mm256_sub_pd(x.a, y.a), _mm256_sub_pd(x.b, y.b)};
}

static inline struct lanes lanes_mul(struct lanes x, struct lanes y)
{
    return (struct lanes){_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)};
}

static inline struct lanes lanes_div(struct lanes x, struct lanes y)
{
    return (struct lanes){_mm256_div_pd(x.a, y.a), _mm256_div_pd(x.b, y.b)};
}

static inline struct lanes lanes_root(struct lanes x)
{
    return (struct lanes){_mm256_sqrt_pd(x.a), _mm256_sqrt_pd(x.b)};
}

static inline struct lanes lanes_abs(struct lanes x)
{
    __m256d sign = _mm256_set1_pd(-0.0);
    return (struct lanes){_mm256_andnot_pd(sign, x.a), _mm256_andnot_pd(sign, x.b)};
}

static inline struct lane_mask lanes_less(struct lanes x, struct lanes y)
{
    return (struct lane_mask){_mm256_cmp_pd(x.a, y.a, _CMP_LT_OQ),
                              _mm256_cmp_pd(x.b, y.b, _CMP_LT_OQ)};
}

static inline lane_bits mask_bits(struct lane_mask x)
{
    return (lane_bits)_mm256_movemask_pd(x.a) | (lane_bits)_mm256_movemask_pd(x.b) << 4;
}

static inline struct lane_mask mask_none(void)
{
    return (struct lane_mask){_mm256_setzero_pd(), _mm256_setzero_pd()};
}

static inline struct lane_mask mask_and(struct lane_mask x, struct lane_mask y)
{
    return (struct lane_mask){_mm256_and_pd(x.a, y.a), _mm256_and_pd(x.b, y.b)};
}

static inline struct lane_mask mask_or(struct lane_mask x, struct lane_mask y)
{
    return (struct lane_mask){_mm256_or_pd(x.a, y.a), _mm256_or_pd(x.b, y.b)};
}

/* y where x is not. */
static inline struct lane_mask mask_without(struct lane_mask y, struct lane_mask x)
{
    return (struct lane_mask){_mm256_andnot_pd(x.a, y.a), _mm256_andnot_pd(x.b, y.b)};
}

static inline struct lanes lanes_select(struct lane_mask mask, struct lanes yes, struct lanes no)
{
    return (struct lanes){_mm256_blendv_pd(no.a, yes.a, mask.a),
                          _mm256_blendv_pd(no.b, yes.b, mask.b)};
}

static inline struct lanes lanes_halves(const double *a, const double *b)
{
    return (struct lanes){_mm256_loadu_pd(a), _mm256_loadu_pd(b)};
}

static inline struct lanes lanes_both(double a, double b)
{
    return (struct lanes){_mm256_set1_pd(a), _mm256_set1_pd(b)};
}

#else

struct lanes {
    double v[LANES];
};

struct lane_mask {
    lane_bits m;
};

static inline struct lanes lanes_load(const double *at)
{
    struct lanes a;
    for (int i = 0; i < LANES; i++)
        a.v[i] = at[i];
    return a;
}

static inline void lanes_store(double *at, struct lanes a)
{
    for (int i = 0; i < LANES; i++)
        at[i] = a.v[i];
}

static inline struct lanes lanes_all(double value)
{
    struct lanes a;
    for (int i = 0; i < LANES; i++)
        a.v[i] = value;
    return a;
}

static inline struct lanes lanes_add(struct lanes a, struct lanes b)
{
    for (int i = 0; i < LANES; i++)
        a.v[i] += b.v[i];
    return a;
}

static inline struct lanes lanes_sub(struct lanes a, struct lanes b)
{
    for (int i = 0; i < LANES; i++)
        a.v[i] -= b.v[i];
    return a;
}

static inline struct lanes lanes_mul(struct lanes a, struct lanes b)
{
    for (int i = 0; i < LANES; i++)
        a.v[i] *= b.v[i];
    return a;
}

static inline struct lanes lanes_div(struct lanes a, struct lanes b)
{
    for (int i = 0; i < LANES; i++)
        a.v[i] /= b.v[i];
    return a;
}

static inline struct lanes lanes_root(struct lanes a)
{
    for (int i = 0; i < LANES; i++)
        a.v[i] = sqrt(a.v[i]);
    return a;
}

static inline struct lanes lanes_abs(struct lanes a)
{
    for (int i = 0; i < LANES; i++)
        a.v[i] = fabs(a.v[i]);
    return a;
}

static inline struct lane_mask lanes_less(struct lanes a, struct lanes b)
{
    lane_bits bits = 0;
    for (int i = 0; i < LANES; i++)
        bits |= (lane_bits)(a.v[i] < b.v[i]) << i;
    return (struct lane_mask){bits};
}

static inline lane_bits mask_bits(struct lane_mask a)
{
    return a.m;
}

static inline struct lane_mask mask_none(void)
{
    return (struct lane_mask){0};
}

static inline struct lane_mask mask_and(struct lane_mask a, struct lane_mask b)
{
    return (struct lane_mask){a.m & b.m};
}

static inline struct lane_mask mask_or(struct lane_mask a, struct lane_mask b)
{
    return (struct lane_mask){a.m | b.m};
}

/* b where a is not. */
static inline struct lane_mask mask_without(struct lane_mask b, struct lane_mask a)
{
    return (struct lane_mask){b.m & ~a.m};
}

static inline struct lanes lanes_select(struct lane_mask mask, struct lanes yes, struct lanes no)
{
    for (int i = 0; i < LANES; i++)
        no.v[i] = mask.m >> i & 1 ? yes.v[i] : no.v[i];
    return no;
}

static inline struct lanes lanes_halves(const double *a, const double *b)
{
    struct lanes both;
    for (int i = 0; i < LANES; i++)
        both.v[i] = i < LANES / 2 ? a[i] : b[i - LANES / 2];
    return both;
}

static inline struct lanes lanes_both(double a, double b)
{
    struct lanes both;
    for (int i = 0; i < LANES; i++)
        both.v[i] = i < LANES / 2 ? a : b;
    return both;
}

#endif

#ifndef LANES_WORDS
static inline void lanes_pack(double *at, struct lane_mask mask, struct lanes a)
{
    double all[LANES];
    lanes_store(all, a);
    for (lane_bits left = mask_bits(mask); left; left &= left - 1)
        *at++ = all[__builtin_ctz(left)];
}

static inline double lanes_least(struct lanes a)
{
    double all[LANES];
    lanes_store(all, a);
    double least = all[0];
    for (int i = 1; i < LANES; i++)
        least = all[i] < least ? all[i] : least;
    return least;
}

struct word_lanes {
    uint64_t v[LANES];
};

static inline struct word_lanes words_load(const uint64_t *at)
{
    struct word_lanes a;
    memcpy(a.v, at, sizeof a.v);
    return a;
}

static inline void words_store(uint64_t *at, struct word_lanes a)
{
    memcpy(at, a.v, sizeof a.v);
}

static inline struct word_lanes words_and(struct word_lanes a, struct word_lanes b)
{
    for (int i = 0; i < LANES; i++)
        a.v[i] &= b.v[i];
    return a;
}

static inline bool words_any(struct word_lanes a)
{
    uint64_t any = 0;
    for (int i = 0; i < LANES; i++)
        any |= a.v[i];
    return any != 0;
}

static inline lane_bits words_beyond(struct word_lanes a, struct word_lanes b)
{
    lane_bits any = 0;
    for (int i = 0; i < LANES; i++)
        any |= (lane_bits)((a.v[i] & ~b.v[i]) != 0) << i;
    return any;
}
#endif

/* x * a + y * b + z * c, in this order, as vec3_dot has it. */
static inline struct lanes lanes_dot(struct lanes x, struct lanes y, struct lanes z, struct lanes a,
                                     struct lanes b, struct lanes c)
{
    return lanes_add(lanes_add(lanes_mul(x, a), lanes_mul(y, b)), lanes_mul(z, c));
}

#endif
