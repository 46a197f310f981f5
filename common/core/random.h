/* Random numbers as a hash of (item, sample): no state, the same on any thread. */
#ifndef CORE_RANDOM_H
#define CORE_RANDOM_H

#include <stdint.h>

/* A 64-bit finaliser with full avalanche (Stafford's variant 13 of the murmur mix). */
static inline uint64_t hash_u64(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
    return hash_u64(a * 0x9e3779b97f4a7c15u + hash_u64(b + 0x632be59bd9b4e019u));
}

/* Uniform in [0, 1). */
static inline double random_unit(uint64_t item, uint64_t sample)
{
    return (double)(hash_pair(item, sample) >> 11) * 0x1p-53;
}

#endif
