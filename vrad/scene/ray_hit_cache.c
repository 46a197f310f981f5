#include "vrad/scene/ray_hit_cache.h"

#include <string.h>

#include "common/core/memory.h"

struct ray_hits {
    struct ray_hits *next;
    struct ray_hit_key key;
    bool used, is_read;
    uint32_t seen[];
};

enum { FINE_WORDS = VISIBILITY_FINE_MAX / 64 };

struct fine_visibility {
    uint64_t known[FINE_WORDS], unblocked[FINE_WORDS];
};

/* Bits of a luxel's byte: known rays, then which of them are unblocked. */
enum { FREE_SHIFT = VISIBILITY_COARSE_MAX };

struct light_visibility {
    struct light_visibility *next;
    const struct ray_hit_cache *of;
    size_t light;
    int luxels;
    uint32_t *fine_of;            /* one per luxel: 1 + index in `fine`, or 0; NULL: none */
    struct fine_visibility *fine; /* `fine_count`, with capacity for a power of two */
    uint32_t fine_count;
    uint8_t *far;    /* one per luxel; NULL: none */
    uint8_t *coarse; /* one per luxel; NULL: none */
};

struct ray_hit_cache {
    bool second, keeps_points;
    size_t slots, faces;
    struct ray_hits **ray_hits;             /* a list per slot */
    struct light_visibility **visibilities; /* a list per face */
};

struct ray_hit_cache *ray_hit_cache_new(size_t slots, size_t faces)
{
    struct ray_hit_cache *cache = memory_alloc(sizeof *cache);
    *cache = (struct ray_hit_cache){false,
                                    false,
                                    slots,
                                    faces,
                                    memory_zalloc(slots + 1, sizeof *cache->ray_hits),
                                    memory_zalloc(faces + 1, sizeof *cache->visibilities)};
    return cache;
}

void ray_hit_cache_begin_second(struct ray_hit_cache *cache)
{
    if (cache)
        cache->second = true;
}

bool ray_hit_cache_has_visibility(const struct ray_hit_cache *cache)
{
    return cache && cache->faces > 0;
}

bool ray_hit_cache_keeps_visibility(const struct ray_hit_cache *cache)
{
    return ray_hit_cache_has_visibility(cache) && !cache->second;
}

void ray_hit_cache_keep_points(struct ray_hit_cache *cache)
{
    cache->keeps_points = true;
}

static void free_ray_hits(struct ray_hits *hits)
{
    while (hits) {
        struct ray_hits *next = hits->next;
        memory_free(hits);
        hits = next;
    }
}

static void free_visibilities(struct light_visibility *visibility)
{
    while (visibility) {
        struct light_visibility *next = visibility->next;
        memory_free(visibility->fine_of);
        memory_free(visibility->fine);
        memory_free(visibility->far);
        memory_free(visibility->coarse);
        memory_free(visibility);
        visibility = next;
    }
}

void ray_hit_cache_free(struct ray_hit_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < cache->slots; i++)
        free_ray_hits(cache->ray_hits[i]);
    for (size_t i = 0; i < cache->faces; i++)
        free_visibilities(cache->visibilities[i]);
    memory_free(cache->ray_hits);
    memory_free(cache->visibilities);
    memory_free(cache);
}

/* ---- gather points ---- */

static bool same_key(const struct ray_hit_key *a, const struct ray_hit_key *b)
{
    for (int k = 0; k < 3; k++)
        if (a->position[k] != b->position[k])
            return false;
    return a->seed == b->seed && a->rays == b->rays && a->kind == b->kind;
}

static struct ray_hits *find_hits(const struct ray_hit_cache *cache, size_t slot,
                                  const struct ray_hit_key *key)
{
    struct ray_hits *hits = cache->ray_hits[slot];
    while (hits && !same_key(&hits->key, key))
        hits = hits->next;
    return hits;
}

const uint32_t *ray_hit_cache_find(const struct ray_hit_cache *cache, size_t slot,
                                   const struct ray_hit_key *key)
{
    if (!cache || !(cache->second || cache->keeps_points) || slot >= cache->slots)
        return NULL;
    struct ray_hits *hits = find_hits(cache, slot, key);
    if (hits)
        hits->used = true;
    return hits ? hits->seen : NULL;
}

int64_t ray_hit_cache_reused_rays(const struct ray_hit_cache *cache)
{
    int64_t rays = 0;
    for (size_t i = 0; cache && i < cache->slots; i++)
        for (const struct ray_hits *hits = cache->ray_hits[i]; hits; hits = hits->next)
            rays += hits->used ? hits->key.rays : 0;
    return rays;
}

static struct ray_hits *add_hits(struct ray_hit_cache *cache, size_t slot,
                                 const struct ray_hit_key *key)
{
    struct ray_hits *hits = memory_alloc(sizeof *hits + (size_t)key->rays * sizeof *hits->seen);
    *hits = (struct ray_hits){.next = cache->ray_hits[slot], .key = *key};
    cache->ray_hits[slot] = hits;
    return hits;
}

void ray_hit_cache_store(struct ray_hit_cache *cache, size_t slot, const struct ray_hit_key *key,
                         const uint32_t *seen)
{
    if (!cache || (cache->second && !cache->keeps_points) || slot >= cache->slots ||
        find_hits(cache, slot, key))
        return;
    struct ray_hits *hits = add_hits(cache, slot, key);
    memcpy(hits->seen, seen, (size_t)key->rays * sizeof *seen);
}

/* ---- gather points as bytes ---- */

/* The share of slots, 1 / N of the rays that were read, that must be new for them to be kept again:
 * an edit makes few points everywhere. */
enum { MIN_NEW = 8 };

static bool has_enough_new(const struct ray_hit_cache *cache, size_t first, size_t end)
{
    int64_t made = 0, read = 0;
    for (size_t i = first; i < end; i++)
        for (const struct ray_hits *hits = cache->ray_hits[i]; hits; hits = hits->next)
            *(hits->is_read ? &read : &made) += hits->key.rays;
    return made > read / MIN_NEW;
}

bool ray_hit_cache_append_slots(const struct ray_hit_cache *cache, size_t first, size_t end,
                                struct bytes *out)
{
    if (!has_enough_new(cache, first, end))
        return false;
    for (size_t i = first; i < end; i++)
        for (const struct ray_hits *hits = cache->ray_hits[i]; hits; hits = hits->next) {
            if (hits->is_read && !hits->used)
                continue;
            bytes_u32(out, (uint32_t)(i - first));
            bytes_append(out, &hits->key, sizeof hits->key);
            bytes_append(out, hits->seen, (size_t)hits->key.rays * sizeof *hits->seen);
        }
    return true;
}

enum { MAX_RAYS = 1 << 12 };

/* Takes the hits of one point. */
static bool read_point(struct ray_hit_cache *cache, size_t first, size_t end, uint32_t numbers,
                       struct byte_reader *from)
{
    struct ray_hit_key key = {.rays = 0};
    const size_t slot = first + read_u32(from);
    read_into(from, &key, sizeof key);
    if (from->failed || slot >= end || key.rays <= 0 || key.rays > MAX_RAYS)
        return false;
    const unsigned char *seen = read_block(from, (size_t)key.rays * sizeof(uint32_t));
    for (int i = 0; seen && i < key.rays; i++)
        if ((load_u32(seen + (size_t)i * sizeof(uint32_t)) & ~RAY_HIT_MARKS) >= numbers)
            return false;
    if (!seen || find_hits(cache, slot, &key))
        return false;
    struct ray_hits *hits = add_hits(cache, slot, &key);
    hits->is_read = true;
    memcpy(hits->seen, seen, (size_t)key.rays * sizeof(uint32_t));
    return true;
}

bool ray_hit_cache_read_slots(struct ray_hit_cache *cache, size_t first, size_t end,
                              uint32_t numbers, struct byte_reader *from)
{
    bool fits = end <= cache->slots;
    while (fits && from->at < from->size)
        fits = read_point(cache, first, end, numbers, from);
    return fits;
}

/* ---- shadow rays of a light to a face ---- */

struct light_visibility *ray_hit_cache_visibility(struct ray_hit_cache *cache, size_t face,
                                                  size_t light, int luxels)
{
    if (!cache || face >= cache->faces)
        return NULL;
    for (struct light_visibility *visibility = cache->visibilities[face]; visibility;
         visibility = visibility->next)
        if (visibility->light == light && visibility->luxels == luxels)
            return visibility;
    if (cache->second)
        return NULL;
    struct light_visibility *visibility = memory_zalloc(1, sizeof *visibility);
    visibility->of = cache;
    visibility->light = light;
    visibility->luxels = luxels;
    visibility->next = cache->visibilities[face];
    cache->visibilities[face] = visibility;
    return visibility;
}

static int known_of(const uint8_t *ways, int luxel, int sample)
{
    int bits = ways ? ways[luxel] >> sample : 0;
    return bits & 1 ? bits >> FREE_SHIFT & 1 : -1;
}

static void keep_in(uint8_t **ways, int luxels, int luxel, int sample, bool unblocked)
{
    if (!*ways)
        *ways = memory_zalloc((size_t)luxels, 1);
    (*ways)[luxel] |= (uint8_t)((1 | (int)unblocked << FREE_SHIFT) << sample);
}

/* 1: unblocked, 0: blocked, -1: unknown. */
static int known_result(const struct light_visibility *visibility, enum visibility_ray_kind kind,
                        int luxel, int sample)
{
    if (kind == VISIBILITY_COARSE)
        return known_of(visibility->coarse, luxel, sample);
    if (kind == VISIBILITY_FAR)
        return known_of(visibility->far, luxel, sample);
    if (!visibility->fine_of || !visibility->fine_of[luxel])
        return -1;
    const struct fine_visibility *fine = &visibility->fine[visibility->fine_of[luxel] - 1];
    int word = sample / 64, bit = sample % 64;
    return fine->known[word] >> bit & 1 ? (int)(fine->unblocked[word] >> bit & 1) : -1;
}

static struct fine_visibility *fine_for(struct light_visibility *visibility, int luxel)
{
    if (!visibility->fine_of)
        visibility->fine_of =
            memory_zalloc((size_t)visibility->luxels, sizeof *visibility->fine_of);
    if (!visibility->fine_of[luxel]) {
        uint32_t count = visibility->fine_count++;
        if ((count & (count - 1)) == 0)
            visibility->fine = memory_realloc(visibility->fine,
                                              2 * ((size_t)count + 1) * sizeof *visibility->fine);
        memset(&visibility->fine[count], 0, sizeof *visibility->fine);
        visibility->fine_of[luxel] = count + 1;
    }
    return &visibility->fine[visibility->fine_of[luxel] - 1];
}

static void store_result(struct light_visibility *visibility, enum visibility_ray_kind kind,
                         int luxel, int sample, bool unblocked)
{
    if (kind == VISIBILITY_COARSE) {
        keep_in(&visibility->coarse, visibility->luxels, luxel, sample, unblocked);
    } else if (kind == VISIBILITY_FAR) {
        keep_in(&visibility->far, visibility->luxels, luxel, sample, unblocked);
    } else {
        struct fine_visibility *fine = fine_for(visibility, luxel);
        fine->known[sample / 64] |= (uint64_t)1 << sample % 64;
        fine->unblocked[sample / 64] |= (uint64_t)unblocked << sample % 64;
    }
}

uint32_t visibility_find16(const struct light_visibility *visibility,
                           const struct visibility_ray *rays, int count, uint32_t *unblocked)
{
    uint32_t known = 0;
    *unblocked = 0;
    bool cached = visibility && visibility->of->second;
    for (int i = 0; cached && i < count; i++) {
        int way = known_result(visibility, rays[i].kind, rays[i].luxel, rays[i].sample);
        known |= (uint32_t)(way >= 0) << i;
        *unblocked |= (uint32_t)(way > 0) << i;
    }
    return known;
}

void visibility_store16(struct light_visibility *visibility, const struct visibility_ray *rays,
                        uint32_t which, uint32_t unblocked)
{
    bool keeps = visibility && !visibility->of->second;
    for (int i = 0; keeps && which >> i; i++)
        if (which >> i & 1)
            store_result(visibility, rays[i].kind, rays[i].luxel, rays[i].sample,
                         unblocked >> i & 1);
}

/* ---- the results as bytes ---- */

enum { HAS_COARSE = 1, HAS_FAR = 2, HAS_FINE = 4 };

static void append_visibility(const struct light_visibility *from, size_t face, struct bytes *out)
{
    size_t luxels = (size_t)from->luxels;
    bytes_u32(out, (uint32_t)face);
    bytes_u32(out, (uint32_t)from->light);
    bytes_u32(out, (uint32_t)luxels);
    bytes_u32(out, from->fine_of ? from->fine_count : 0);
    bytes_u8(out, (uint8_t)((from->coarse ? HAS_COARSE : 0) | (from->far ? HAS_FAR : 0) |
                            (from->fine_of ? HAS_FINE : 0)));
    if (from->coarse)
        bytes_append(out, from->coarse, luxels);
    if (from->far)
        bytes_append(out, from->far, luxels);
    if (from->fine_of) {
        bytes_append(out, from->fine_of, luxels * sizeof *from->fine_of);
        bytes_append(out, from->fine, from->fine_count * sizeof *from->fine);
    }
}

static void append_faces(const struct ray_hit_cache *cache, size_t first, size_t end,
                         struct bytes *out)
{
    uint32_t count = 0;
    size_t at = out->size;
    bytes_u32(out, count);
    for (size_t i = first; i < end; i++)
        for (const struct light_visibility *from = cache->visibilities[i]; from;
             from = from->next, count++)
            append_visibility(from, i, out);
    store_u32(ORDER_LITTLE, out->data + at, count);
}

void ray_hit_cache_append(const struct ray_hit_cache *cache, struct bytes *out)
{
    append_faces(cache, 0, cache ? cache->faces : 0, out);
}

void ray_hit_cache_append_face(const struct ray_hit_cache *cache, size_t face, struct bytes *out)
{
    append_faces(cache, face, ray_hit_cache_keeps_visibility(cache) ? face + 1 : face, out);
}

static void *copy_block(const unsigned char *block, size_t size)
{
    void *copy = block ? memory_alloc(size + 1) : NULL;
    if (copy)
        memcpy(copy, block, size);
    return copy;
}

static bool are_places(const unsigned char *fine_of, size_t luxels, uint32_t count)
{
    for (size_t i = 0; i < luxels; i++)
        if (load_u32(fine_of + i * sizeof(uint32_t)) > count)
            return false;
    return true;
}

static bool read_visibility(struct ray_hit_cache *cache, size_t faces, struct byte_reader *from)
{
    uint32_t face = read_u32(from), light = read_u32(from), luxels = read_u32(from);
    uint32_t fine_count = read_u32(from);
    uint8_t parts = read_u8(from);
    if (from->failed || face >= faces || luxels > INT32_MAX)
        return false;
    size_t fine_size = (size_t)fine_count * sizeof(struct fine_visibility);
    const unsigned char *coarse = parts & HAS_COARSE ? read_block(from, luxels) : NULL;
    const unsigned char *far = parts & HAS_FAR ? read_block(from, luxels) : NULL;
    const unsigned char *fine_of = NULL, *fine = NULL;
    if (parts & HAS_FINE) {
        fine_of = read_block(from, (size_t)luxels * sizeof(uint32_t));
        fine = read_block(from, fine_size);
    }
    if (from->failed || (fine_of && !are_places(fine_of, luxels, fine_count)))
        return false;
    if (!cache)
        return true;
    struct light_visibility *to = ray_hit_cache_visibility(cache, face, light, (int)luxels);
    if (!to || to->coarse || to->far || to->fine_of)
        return true;
    to->coarse = copy_block(coarse, luxels);
    to->far = copy_block(far, luxels);
    to->fine_of = copy_block(fine_of, (size_t)luxels * sizeof(uint32_t));
    if (fine) { /* with room up to the next power of two */
        to->fine = memory_alloc(2 * ((size_t)fine_count + 1) * sizeof *to->fine);
        memcpy(to->fine, fine, fine_size);
        to->fine_count = fine_count;
    }
    return true;
}

bool ray_hit_cache_read(struct ray_hit_cache *cache, size_t faces, struct byte_reader *from)
{
    uint32_t count = read_u32(from);
    bool fits = !from->failed;
    for (uint32_t i = 0; i < count && fits; i++)
        fits = read_visibility(cache, faces, from);
    return fits;
}
