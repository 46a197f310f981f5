#include "common/core/sha256.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_INSTRUCTIONS 1
#include <cpuid.h>
#include <immintrin.h>
#endif

enum { BLOCK = 64, ROUNDS = 64, LENGTH_AT = 56 };

static const uint32_t constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int count)
{
    return x >> count | x << (32 - count);
}

static void schedule(const unsigned char *block, uint32_t words[ROUNDS])
{
    for (int i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < ROUNDS; i++) {
        uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + words[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
                   (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

/* The eight words move on by one each round: what is number k before round i is at (k - i) & 7. */
static void mix_plain(uint32_t state[8], const unsigned char *block)
{
    uint32_t words[ROUNDS], s[8];
    schedule(block, words);
    memcpy(s, state, sizeof s);
#pragma GCC unroll 8
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint32_t a = s[(0u - i) & 7], b = s[(1u - i) & 7], c = s[(2u - i) & 7];
        uint32_t e = s[(4u - i) & 7], f = s[(5u - i) & 7], g = s[(6u - i) & 7];
        uint32_t high = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
        uint32_t choice = (e & f) ^ (~e & g);
        uint32_t first = s[(7u - i) & 7] + high + choice + constants[i] + words[i];
        uint32_t low = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
        uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        s[(3u - i) & 7] += first;
        s[(7u - i) & 7] = first + low + majority;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

#ifdef HAS_INSTRUCTIONS
/* The same by the processor's instructions: two rounds each, on (a b e f) and (c d g h). */
__attribute__((target("sha,sse4.1"))) static void mix_fast(uint32_t state[8],
                                                           const unsigned char *block)
{
    const __m128i order = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    const int *s = (const int *)state;
    __m128i abef = _mm_set_epi32(s[0], s[1], s[4], s[5]);
    __m128i cdgh = _mm_set_epi32(s[2], s[3], s[6], s[7]);
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i words[ROUNDS / 4];
    for (int i = 0; i < ROUNDS / 4; i++) {
        if (i < 4) {
            words[i] = _mm_shuffle_epi8(
                _mm_loadu_si128((const __m128i *)(const void *)(block + 16 * i)), order);
        } else {
            __m128i near = _mm_alignr_epi8(words[i - 1], words[i - 2], 4);
            __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(words[i - 4], words[i - 3]), near);
            words[i] = _mm_sha256msg2_epu32(sum, words[i - 1]);
        }
        __m128i input = _mm_add_epi32(
            words[i], _mm_loadu_si128((const __m128i *)(const void *)(constants + 4 * i)));
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, input);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(input, 0x0e));
    }
    uint32_t out[8];
    _mm_storeu_si128((__m128i *)(void *)out, _mm_add_epi32(abef, abef_before));
    _mm_storeu_si128((__m128i *)(void *)(out + 4), _mm_add_epi32(cdgh, cdgh_before));
    static const int lanes[8] = {3, 2, 7, 6, 1, 0, 5, 4};
    for (int i = 0; i < 8; i++)
        state[i] = out[lanes[i]];
}

static bool has_instructions(void)
{
    unsigned a, b, c, d;
    bool sse = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSSE3) && (c & bit_SSE4_1);
    return sse && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

/* 0: not known yet. */
static int speed;

static void mix(uint32_t state[8], const unsigned char *block)
{
    int known = __atomic_load_n(&speed, __ATOMIC_RELAXED);
    if (!known)
        __atomic_store_n(&speed, known = has_instructions() ? 2 : 1, __ATOMIC_RELAXED);
    if (known == 2)
        mix_fast(state, block);
    else
        mix_plain(state, block);
}

bool sha256_use_instructions(bool wanted)
{
    bool can = has_instructions();
    __atomic_store_n(&speed, wanted && can ? 2 : 1, __ATOMIC_RELAXED);
    return can;
}
#else
static void mix(uint32_t state[8], const unsigned char *block)
{
    mix_plain(state, block);
}

bool sha256_use_instructions(bool wanted)
{
    (void)wanted;
    return false;
}
#endif

void sha256_begin(struct sha256 *hash)
{
    *hash = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                      0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (; hash->size % BLOCK == 0 && size >= BLOCK; bytes += BLOCK, size -= BLOCK) {
        mix(hash->state, bytes);
        hash->size += BLOCK;
    }
    while (size) {
        size_t at = hash->size % BLOCK, step = BLOCK - at < size ? BLOCK - at : size;
        memcpy(hash->block + at, bytes, step);
        hash->size += step;
        bytes += step;
        size -= step;
        if (at + step == BLOCK)
            mix(hash->state, hash->block);
    }
}

void sha256_end(struct sha256 *hash, unsigned char out[SHA256_SIZE])
{
    uint64_t bits = hash->size * 8;
    sha256_add(hash, "\x80", 1);
    while (hash->size % BLOCK != LENGTH_AT)
        sha256_add(hash, "", 1);
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(hash, length, sizeof length);
    for (int i = 0; i < SHA256_SIZE; i++)
        out[i] = (unsigned char)(hash->state[i / 4] >> (24 - i % 4 * 8));
}

void sha256_of(const void *data, size_t size, unsigned char out[SHA256_SIZE])
{
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, data, size);
    sha256_end(&hash, out);
}

void sha256_text(const unsigned char hash[SHA256_SIZE], char out[2 * SHA256_SIZE + 1])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < SHA256_SIZE; i++) {
        out[2 * i] = digits[hash[i] >> 4];
        out[2 * i + 1] = digits[hash[i] & 15];
    }
    out[2 * SHA256_SIZE] = 0;
}
