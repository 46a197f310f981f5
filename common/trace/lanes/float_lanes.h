/* Sixteen floats at a time: one register of AVX-512, two of AVX2, an array elsewhere. Masks are
 * bits, lane 0 the lowest.
 *
 * A file that uses this is compiled once for each instruction set. All of them do the same
 * operations on each float in the same order, none fuses any, and so they give the same bits. */
#ifndef TRACE_LANES_FLOAT_LANES_H
#define TRACE_LANES_FLOAT_LANES_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#define ISA_SUFFIX      avx512
#define FLOATS_ARE_SLOW false

struct floats {
    __m512 v;
};

static inline struct floats floats_load(const float at[16])
{
    return (struct floats){_mm512_load_ps(at)};
}

static inline void floats_store(float at[16], struct floats a)
{
    _mm512_store_ps(at, a.v);
}

static inline struct floats floats_all(float value)
{
    return (struct floats){_mm512_set1_ps(value)};
}

static inline struct floats floats_add(struct floats a, struct floats b)
{
    return (struct floats){_mm512_add_ps(a.v, b.v)};
}

static inline struct floats floats_sub(struct floats a, struct floats b)
{
    return (struct floats){_mm512_sub_ps(a.v, b.v)};
}

static inline struct floats floats_mul(struct floats a, struct floats b)
{
    return (struct floats){_mm512_mul_ps(a.v, b.v)};
}

static inline struct floats floats_div(struct floats a, struct floats b)
{
    return (struct floats){_mm512_div_ps(a.v, b.v)};
}

/* The lesser, and the greater; b where either is not a number. */
static inline struct floats floats_min(struct floats a, struct floats b)
{
    return (struct floats){_mm512_min_ps(a.v, b.v)};
}

static inline struct floats floats_max(struct floats a, struct floats b)
{
    return (struct floats){_mm512_max_ps(a.v, b.v)};
}

/* Lanes where a < b, and where they are equal. */
static inline uint32_t floats_less(struct floats a, struct floats b)
{
    return _mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ);
}

static inline uint32_t floats_equal(struct floats a, struct floats b)
{
    return _mm512_cmp_ps_mask(a.v, b.v, _CMP_EQ_OQ);
}

static inline struct floats floats_select(uint32_t mask, struct floats yes, struct floats no)
{
    return (struct floats){_mm512_mask_blend_ps((__mmask16)mask, no.v, yes.v)};
}

#elif defined(__AVX2__)
#include <immintrin.h>
#define ISA_SUFFIX      avx2
#define FLOATS_ARE_SLOW false

struct floats {
    __m256 a, b;
};

static inline struct floats floats_load(const float at[16])
{
    return (struct floats){_mm256_load_ps(at), _mm256_load_ps(at + 8)};
}

static inline void floats_store(float at[16], struct floats x)
{
    _mm256_store_ps(at, x.a);
    _mm256_store_ps(at + 8, x.b);
}

static inline struct floats floats_all(float value)
{
    return (struct floats){_mm256_set1_ps(value), _mm256_set1_ps(value)};
}

static inline struct floats floats_add(struct floats x, struct floats y)
{
    return (struct floats){_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b)};
}

static inline struct floats floats_sub(struct floats x, struct floats y)
{
    return (struct floats){_mm256_sub_ps(x.a, y.a), _mm256_sub_ps(x.b, y.b)};
}

static inline struct floats floats_mul(struct floats x, struct floats y)
{
    return (struct floats){_mm256_mul_ps(x.a, y.a), _mm256_mul_ps(x.b, y.b)};
}

static inline struct floats floats_div(struct floats x, struct floats y)
{
    return (struct floats){_mm256_div_ps(x.a, y.a), _mm256_div_ps(x.b, y.b)};
}

static inline struct floats floats_min(struct floats x, struct floats y)
{
    return (struct floats){_mm256_min_ps(x.a, y.a), _mm256_min_ps(x.b, y.b)};
}

static inline struct floats floats_max(struct floats x, struct floats y)
{
    return (struct floats){_mm256_max_ps(x.a, y.a), _mm256_max_ps(x.b, y.b)};
}

static inline uint32_t floats_less(struct floats x, struct floats y)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(x.a, y.a, _CMP_LT_OQ)) |
           (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(x.b, y.b, _CMP_LT_OQ)) << 8;
}

static inline uint32_t floats_equal(struct floats x, struct floats y)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(x.a, y.a, _CMP_EQ_OQ)) |
           (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(x.b, y.b, _CMP_EQ_OQ)) << 8;
}

static inline __m256 floats_half_select(uint32_t mask, __m256 yes, __m256 no)
{
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i set = _mm256_and_si256(_mm256_set1_epi32((int)mask), bits);
    return _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, bits)));
}

static inline struct floats floats_select(uint32_t mask, struct floats yes, struct floats no)
{
    return (struct floats){floats_half_select(mask, yes.a, no.a),
                           floats_half_select(mask >> 8, yes.b, no.b)};
}

#else
#define ISA_SUFFIX      plain
#define FLOATS_ARE_SLOW true

struct floats {
    float v[16];
};

static inline struct floats floats_load(const float at[16])
{
    struct floats a;
    for (int i = 0; i < 16; i++)
        a.v[i] = at[i];
    return a;
}

static inline void floats_store(float at[16], struct floats a)
{
    for (int i = 0; i < 16; i++)
        at[i] = a.v[i];
}

static inline struct floats floats_all(float value)
{
    struct floats a;
    for (int i = 0; i < 16; i++)
        a.v[i] = value;
    return a;
}

static inline struct floats floats_add(struct floats a, struct floats b)
{
    for (int i = 0; i < 16; i++)
        a.v[i] += b.v[i];
    return a;
}

static inline struct floats floats_sub(struct floats a, struct floats b)
{
    for (int i = 0; i < 16; i++)
        a.v[i] -= b.v[i];
    return a;
}

static inline struct floats floats_mul(struct floats a, struct floats b)
{
    for (int i = 0; i < 16; i++)
        a.v[i] *= b.v[i];
    return a;
}

static inline struct floats floats_div(struct floats a, struct floats b)
{
    for (int i = 0; i < 16; i++)
        a.v[i] /= b.v[i];
    return a;
}

static inline struct floats floats_min(struct floats a, struct floats b)
{
    for (int i = 0; i < 16; i++)
        a.v[i] = a.v[i] < b.v[i] ? a.v[i] : b.v[i];
    return a;
}

static inline struct floats floats_max(struct floats a, struct floats b)
{
    for (int i = 0; i < 16; i++)
        a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
    return a;
}

static inline uint32_t floats_less(struct floats a, struct floats b)
{
    uint32_t bits = 0;
    for (int i = 0; i < 16; i++)
        bits |= (uint32_t)(a.v[i] < b.v[i]) << i;
    return bits;
}

static inline uint32_t floats_equal(struct floats a, struct floats b)
{
    uint32_t bits = 0;
    for (int i = 0; i < 16; i++)
        bits |= (uint32_t)(a.v[i] == b.v[i]) << i;
    return bits;
}

static inline struct floats floats_select(uint32_t mask, struct floats yes, struct floats no)
{
    for (int i = 0; i < 16; i++)
        no.v[i] = mask >> i & 1 ? yes.v[i] : no.v[i];
    return no;
}

#endif

/* The name of what each instruction set has its own of. */
#define ISA_PASTE_(name, suffix) name##_##suffix
#define ISA_PASTE(name, suffix)  ISA_PASTE_(name, suffix)
#define ISA(name)                ISA_PASTE(name, ISA_SUFFIX)
#define ISA_TEXT_(suffix)        #suffix
#define ISA_TEXT(suffix)         ISA_TEXT_(suffix)

#endif
