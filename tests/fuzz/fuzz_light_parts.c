/* Any bytes as what a cache has kept of the light of a scene: parts with their keys, and what is in
 * them as hits of gather points. */
#include <stdint.h>
#include <string.h>

#include "common/core/memory.h"
#include "tests/fuzz/fuzz_check.h"
#include "vrad/scene/ray_hit_cache.h"
#include "vrad/store/light_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SLOTS = 64, NUMBERS = 1000, PART_HEADER = SHA256_SIZE + 4 };

static const unsigned char scene[SHA256_SIZE] = {1};

/* Points that were read and used are appended again, and read again. */
static void read_hits(struct byte_reader from)
{
    struct ray_hit_cache *cache = ray_hit_cache_new(SLOTS, 0), *again = ray_hit_cache_new(SLOTS, 0);
    const struct ray_hit_key key = {.rays = 1};
    const uint32_t seen = 7;
    struct bytes out = {0};
    ray_hit_cache_keep_points(cache);
    (void)ray_hit_cache_read_slots(cache, 0, SLOTS, NUMBERS, &from);
    ray_hit_cache_store(cache, SLOTS - 1, &key, &seen);
    const uint32_t *found = ray_hit_cache_find(cache, SLOTS - 1, &key);
    check(found && (*found & ~RAY_HIT_MARKS) < NUMBERS);
    if (ray_hit_cache_append_slots(cache, 0, SLOTS, &out)) {
        struct byte_reader reader = byte_reader(out.data, out.size);
        check(ray_hit_cache_read_slots(again, 0, SLOTS, NUMBERS, &reader));
    }
    bytes_free(&out);
    ray_hit_cache_free(again);
    ray_hit_cache_free(cache);
}

/* A part that is found stays where it is, is refused, and gives way to another. */
static void use_part(struct light_store *store, enum light_part kind, const unsigned char *key)
{
    struct byte_reader from;
    const struct bytes part = {.data = (unsigned char *)(uintptr_t)scene, .size = sizeof scene};
    if (light_store_find(store, kind, key, &from)) {
        read_hits(from);
        light_store_refuse(store, kind, key);
        check(!light_store_find(store, kind, key, &from));
    }
    light_store_put(store, kind, key, &part);
    check(!light_store_find(store, kind, key, &from));
    light_store_keep(store);
}

static void try_kind(struct cache *cache, enum light_part kind, const char *name,
                     const uint8_t *data, size_t size)
{
    struct cache_key key = {.kind = name, .is_part = true};
    struct bytes entry = {0};
    memcpy(key.hash, scene, sizeof scene);
    bytes_append(&entry, data, size);
    cache_put(cache, &key, &entry);
    bytes_free(&entry);
    struct light_store *store = light_store_new(cache, scene);
    if (size >= SHA256_SIZE)
        use_part(store, kind, data);
    light_store_free(store);
    store = light_store_new(cache, scene);
    struct byte_reader from;
    check(size < SHA256_SIZE ||
          (light_store_find(store, kind, data, &from) && from.size == sizeof scene &&
           memcmp(from.data, scene, from.size) == 0));
    light_store_free(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct fs *fs = fs_memory_new();
    const struct env env = {.diag = diag, .fs = fs, .threads = 1};
    struct cache *cache = cache_open(&env, &(struct cache_options){.place = "cache"});
    try_kind(cache, LIGHT_PART_OF_FACES, "vrad-direct", data, size);
    try_kind(cache, LIGHT_PART_OF_HITS, "vrad-hits", data, size);
    if (size >= PART_HEADER)
        read_hits(byte_reader(data + PART_HEADER, size - PART_HEADER));
    cache_close(cache);
    fs_memory_free(fs);
    diag_free(diag);
    return 0;
}
