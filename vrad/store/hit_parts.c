#include "vrad/store/hit_parts.h"

#include "common/parallel/parallel.h"
#include "vrad/luxels/prop_radiosity.h"
#include "vrad/scene/ray_hit_cache.h"

/* Slots of a part. */
enum { SLOTS = 1 << 12 };

/* Numbers of hits besides luxels: the sky, and what gives no light. */
enum { NOT_LUXELS = 2 };

static size_t part_count(const struct hit_parts *parts)
{
    return (parts->slots + SLOTS - 1) / SLOTS;
}

static size_t end_of(const struct hit_parts *parts, size_t index)
{
    return (index + 1) * SLOTS < parts->slots ? (index + 1) * SLOTS : parts->slots;
}

static void make_key(const struct hit_parts *parts, size_t index, unsigned char out[SHA256_SIZE])
{
    const uint64_t of[] = {index, parts->slots, parts->numbers};
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, of, sizeof of);
    sha256_end(&hash, out);
}

static void read_part(void *context, size_t index, int thread)
{
    const struct hit_parts *parts = context;
    unsigned char key[SHA256_SIZE];
    struct byte_reader from;
    (void)thread;
    make_key(parts, index, key);
    if (light_store_find(parts->store, LIGHT_PART_OF_HITS, key, &from) &&
        !ray_hit_cache_read_slots(*parts->hits, index * SLOTS, end_of(parts, index), parts->numbers,
                                  &from))
        light_store_refuse(parts->store, LIGHT_PART_OF_HITS, key);
}

static void keep_part(void *context, size_t index, int thread)
{
    const struct hit_parts *parts = context;
    unsigned char key[SHA256_SIZE];
    struct bytes part = {0};
    (void)thread;
    make_key(parts, index, key);
    if (ray_hit_cache_append_slots(*parts->hits, index * SLOTS, end_of(parts, index), &part))
        light_store_put(parts->store, LIGHT_PART_OF_HITS, key, &part);
    bytes_free(&part);
}

void hit_parts_begin(const struct env *env, struct light_store *store, struct scene *scene,
                     const struct luxel_map *map, size_t others, size_t faces,
                     struct hit_parts *out)
{
    const struct prop_radiosity *props = map->props;
    *out = (struct hit_parts){
        .env = env,
        .store = store,
        .hits = &scene->ray_hit_cache,
        .slots = map->luxel_count + others,
        .numbers = (uint32_t)(map->luxel_count + NOT_LUXELS + (props ? props->count : 0))};
    if (!faces && !store)
        return;
    scene->ray_hit_cache = ray_hit_cache_new(out->slots, faces);
    if (!store)
        return;
    ray_hit_cache_keep_points(scene->ray_hit_cache);
    parallel_for(env->threads, part_count(out), read_part, out);
}

void hit_parts_end(struct hit_parts *parts, enum status status)
{
    if (!*parts->hits)
        return;
    if (parts->store && status == STATUS_OK)
        parallel_for(parts->env->threads, part_count(parts), keep_part, parts);
    progress_count(parts->env->progress, "reused ray hits",
                   ray_hit_cache_reused_rays(*parts->hits));
    ray_hit_cache_free(*parts->hits);
    *parts->hits = NULL;
}
