#include "common/core/md4.h"

#include <stdint.h>
#include <string.h>

#include "common/core/bytes.h"

enum { BLOCK = 64, LENGTH_AT = 56, ROUNDS = 3, STEPS = 16 };

static uint32_t rotate(uint32_t x, int count)
{
    return x << count | x >> (32 - count);
}

static uint32_t combine(int round, uint32_t x, uint32_t y, uint32_t z)
{
    return round == 0 ? (x & y) | (~x & z) : round == 1 ? (x & y) | (x & z) | (y & z) : x ^ y ^ z;
}

static void mix(uint32_t state[4], const unsigned char *block)
{
    static const unsigned char order[ROUNDS][STEPS] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15},
        {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}};
    static const int turns[ROUNDS][4] = {{3, 7, 11, 19}, {3, 5, 9, 13}, {3, 9, 11, 15}};
    static const uint32_t constants[ROUNDS] = {0, 0x5a827999, 0x6ed9eba1};
    uint32_t s[4];
    memcpy(s, state, sizeof s);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < STEPS; i++) {
            uint32_t sum = s[0] + combine(round, s[1], s[2], s[3]) +
                           load_u32(block + 4 * order[round][i]) + constants[round];
            s[0] = s[3];
            s[3] = s[2];
            s[2] = s[1];
            s[1] = rotate(sum, turns[round][i % 4]);
        }
    for (int i = 0; i < 4; i++)
        state[i] += s[i];
}

void md4_of(const void *data, size_t size, unsigned char out[MD4_SIZE])
{
    uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    const unsigned char *at = data;
    unsigned char last[2 * BLOCK] = {0};
    size_t rest = size % BLOCK, blocks = rest < LENGTH_AT ? 1 : 2;
    for (size_t i = 0; i < size / BLOCK; i++)
        mix(state, at + i * BLOCK);
    if (rest)
        memcpy(last, at + size - rest, rest);
    last[rest] = 0x80;
    uint64_t bits = (uint64_t)size * 8;
    unsigned char *length = last + (blocks - 1) * BLOCK + LENGTH_AT;
    store_u32(ORDER_LITTLE, length, (uint32_t)bits);
    store_u32(ORDER_LITTLE, length + 4, (uint32_t)(bits >> 32));
    for (size_t i = 0; i < blocks; i++)
        mix(state, last + i * BLOCK);
    for (int i = 0; i < 4; i++)
        store_u32(ORDER_LITTLE, out + (ptrdiff_t)4 * i, state[i]);
}
