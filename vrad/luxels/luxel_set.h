/* Sets of luxels of a map, with the rank of each member: a bit and a half per luxel of the map. */
#ifndef VRAD_LUXELS_LUXEL_SET_H
#define VRAD_LUXELS_LUXEL_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/core/memory.h"

/* One bit for each of 64 luxels, and the number of members before them: compact, since every ray
 * hit looks it up. */
struct luxel_set_word {
    uint64_t set;
    uint32_t before;
};

struct luxel_set {
    struct luxel_set_word *words; /* NULL: empty */
    size_t count;
};

/* An empty set of numbers below `luxels`; free with luxel_set_free. */
static inline struct luxel_set luxel_set_new(size_t luxels)
{
    size_t words = luxels / 64 + 1;
    return (struct luxel_set){memory_zalloc(words, sizeof(struct luxel_set_word)), words};
}

static inline void luxel_set_free(struct luxel_set *set)
{
    memory_free(set->words);
    *set = (struct luxel_set){0};
}

static inline void luxel_set_add(struct luxel_set *set, size_t luxel)
{
    set->words[luxel / 64].set |= (uint64_t)1 << luxel % 64;
}

/* Counts the members, which makes ranks known. Returns their number. */
static inline uint32_t luxel_set_rank_all(struct luxel_set *set)
{
    uint32_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        set->words[i].before = count;
        count += (uint32_t)__builtin_popcountll(set->words[i].set);
    }
    return count;
}

static inline bool luxel_set_has(const struct luxel_set *set, size_t luxel)
{
    return set->words && set->words[luxel / 64].set >> luxel % 64 & 1;
}

/* The number of members below the luxel. */
static inline uint32_t luxel_set_rank(const struct luxel_set *set, size_t luxel)
{
    const struct luxel_set_word *word = &set->words[luxel / 64];
    uint64_t below = word->set & (((uint64_t)1 << luxel % 64) - 1);
    return word->before + (uint32_t)__builtin_popcountll(below);
}

#endif
