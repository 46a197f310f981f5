#include "vrad/scene/recall.h"

#include <string.h>

#include "common/core/memory.h"

struct look {
    struct look *next;
    struct recall_key key;
    bool used;
    uint32_t seen[];
};

enum { FINE_WORDS = SIGHT_FINE_MAX / 64 };

struct fine_sight {
    uint64_t known[FINE_WORDS], free_way[FINE_WORDS];
};

/* Bits of a luxel's byte: which ways are known, then which of them are free. */
enum { FREE_SHIFT = SIGHT_COARSE_MAX };

struct sight {
    struct sight *next;
    const struct recall *of;
    size_t light;
    int luxels;
    uint32_t *fine_of;       /* one a luxel: 1 + a number of `fine`, or 0; NULL: none */
    struct fine_sight *fine; /* `fine_count`, with room for a power of two */
    uint32_t fine_count;
    uint8_t *far_ways; /* one a luxel; NULL: none */
    uint8_t *coarse;   /* one a luxel; NULL: none */
};

struct recall {
    bool second;
    size_t places, faces;
    struct look **looks;   /* a list a place */
    struct sight **sights; /* a list a face */
};

struct recall *recall_new(size_t places, size_t faces)
{
    struct recall *recall = memory_alloc(sizeof *recall);
    *recall =
        (struct recall){false, places, faces, memory_zalloc(places + 1, sizeof *recall->looks),
                        memory_zalloc(faces + 1, sizeof *recall->sights)};
    return recall;
}

void recall_begin_second(struct recall *recall)
{
    if (recall)
        recall->second = true;
}

static void free_looks(struct look *look)
{
    while (look) {
        struct look *next = look->next;
        memory_free(look);
        look = next;
    }
}

static void free_sights(struct sight *sight)
{
    while (sight) {
        struct sight *next = sight->next;
        memory_free(sight->fine_of);
        memory_free(sight->fine);
        memory_free(sight->far_ways);
        memory_free(sight->coarse);
        memory_free(sight);
        sight = next;
    }
}

void recall_free(struct recall *recall)
{
    if (!recall)
        return;
    for (size_t i = 0; i < recall->places; i++)
        free_looks(recall->looks[i]);
    for (size_t i = 0; i < recall->faces; i++)
        free_sights(recall->sights[i]);
    memory_free(recall->looks);
    memory_free(recall->sights);
    memory_free(recall);
}

/* ---- points that look around ---- */

static bool same_key(const struct recall_key *a, const struct recall_key *b)
{
    for (int k = 0; k < 3; k++)
        if (a->position[k] != b->position[k])
            return false;
    return a->seed == b->seed && a->rays == b->rays && a->kind == b->kind;
}

static struct look *find_look(const struct recall *recall, size_t place,
                              const struct recall_key *key)
{
    struct look *look = recall->looks[place];
    while (look && !same_key(&look->key, key))
        look = look->next;
    return look;
}

const uint32_t *recall_look(const struct recall *recall, size_t place, const struct recall_key *key)
{
    if (!recall || !recall->second || place >= recall->places)
        return NULL;
    struct look *look = find_look(recall, place, key);
    if (look)
        look->used = true;
    return look ? look->seen : NULL;
}

int64_t recall_used_rays(const struct recall *recall)
{
    int64_t rays = 0;
    for (size_t i = 0; recall && i < recall->places; i++)
        for (const struct look *look = recall->looks[i]; look; look = look->next)
            rays += look->used ? look->key.rays : 0;
    return rays;
}

void recall_keep_look(struct recall *recall, size_t place, const struct recall_key *key,
                      const uint32_t *seen)
{
    if (!recall || recall->second || place >= recall->places || find_look(recall, place, key))
        return;
    size_t size = (size_t)key->rays * sizeof *seen;
    struct look *look = memory_alloc(sizeof *look + size);
    look->key = *key;
    look->used = false;
    memcpy(look->seen, seen, size);
    look->next = recall->looks[place];
    recall->looks[place] = look;
}

/* ---- rays of a light to a face ---- */

struct sight *recall_sight(struct recall *recall, size_t face, size_t light, int luxels)
{
    if (!recall || face >= recall->faces)
        return NULL;
    for (struct sight *sight = recall->sights[face]; sight; sight = sight->next)
        if (sight->light == light)
            return sight;
    if (recall->second)
        return NULL;
    struct sight *sight = memory_zalloc(1, sizeof *sight);
    sight->of = recall;
    sight->light = light;
    sight->luxels = luxels;
    sight->next = recall->sights[face];
    recall->sights[face] = sight;
    return sight;
}

static int known_of(const uint8_t *ways, int luxel, int sample)
{
    int bits = ways ? ways[luxel] >> sample : 0;
    return bits & 1 ? bits >> FREE_SHIFT & 1 : -1;
}

static void keep_in(uint8_t **ways, int luxels, int luxel, int sample, bool free_way)
{
    if (!*ways)
        *ways = memory_zalloc((size_t)luxels, 1);
    (*ways)[luxel] |= (uint8_t)((1 | (int)free_way << FREE_SHIFT) << sample);
}

/* 1: the way is free, 0: it is not, -1: not known. */
static int known_way(const struct sight *sight, enum sight_kind kind, int luxel, int sample)
{
    if (kind == SIGHT_COARSE)
        return known_of(sight->coarse, luxel, sample);
    if (kind == SIGHT_FAR)
        return known_of(sight->far_ways, luxel, sample);
    if (!sight->fine_of || !sight->fine_of[luxel])
        return -1;
    const struct fine_sight *fine = &sight->fine[sight->fine_of[luxel] - 1];
    int word = sample / 64, bit = sample % 64;
    return fine->known[word] >> bit & 1 ? (int)(fine->free_way[word] >> bit & 1) : -1;
}

static struct fine_sight *fine_for(struct sight *sight, int luxel)
{
    if (!sight->fine_of)
        sight->fine_of = memory_zalloc((size_t)sight->luxels, sizeof *sight->fine_of);
    if (!sight->fine_of[luxel]) {
        uint32_t count = sight->fine_count++;
        if ((count & (count - 1)) == 0)
            sight->fine =
                memory_realloc(sight->fine, 2 * ((size_t)count + 1) * sizeof *sight->fine);
        memset(&sight->fine[count], 0, sizeof *sight->fine);
        sight->fine_of[luxel] = count + 1;
    }
    return &sight->fine[sight->fine_of[luxel] - 1];
}

static void keep_way(struct sight *sight, enum sight_kind kind, int luxel, int sample,
                     bool free_way)
{
    if (kind == SIGHT_COARSE) {
        keep_in(&sight->coarse, sight->luxels, luxel, sample, free_way);
    } else if (kind == SIGHT_FAR) {
        keep_in(&sight->far_ways, sight->luxels, luxel, sample, free_way);
    } else {
        struct fine_sight *fine = fine_for(sight, luxel);
        fine->known[sample / 64] |= (uint64_t)1 << sample % 64;
        fine->free_way[sample / 64] |= (uint64_t)free_way << sample % 64;
    }
}

uint32_t sight_known16(const struct sight *sight, const struct sight_ray *rays, int count,
                       uint32_t *free_ways)
{
    uint32_t known = 0;
    *free_ways = 0;
    bool recalls = sight && sight->of->second;
    for (int i = 0; recalls && i < count; i++) {
        int way = known_way(sight, rays[i].kind, rays[i].luxel, rays[i].sample);
        known |= (uint32_t)(way >= 0) << i;
        *free_ways |= (uint32_t)(way > 0) << i;
    }
    return known;
}

void sight_keep16(struct sight *sight, const struct sight_ray *rays, uint32_t which,
                  uint32_t free_ways)
{
    bool keeps = sight && !sight->of->second;
    for (int i = 0; keeps && which >> i; i++)
        if (which >> i & 1)
            keep_way(sight, rays[i].kind, rays[i].luxel, rays[i].sample, free_ways >> i & 1);
}
