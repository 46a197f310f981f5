/* Reuses the ray hits of an earlier run for gather points with the same rays. */
#include <string.h>

#include "vrad/bounce/final_gather.h"
#include "vrad/scene/ray_hit_cache.h"

static struct ray_hit_key key_of(const struct gather_table *table, const struct gather_point *point)
{
    struct ray_hit_key key = {.seed = point->seed, .rays = table->rays, .kind = (int)table->kind};
    for (int k = 0; k < 3; k++)
        key.position[k] = (float)point->position.e[k];
    return key;
}

/* The lights of the run determine which secondary lights a point samples. */
static void take(const struct gather_point *point, const uint32_t *known, int rays, uint32_t *seen)
{
    for (int i = 0; i < rays; i++) {
        bool clamped =
            point->secondary && secondary_residual(point->secondary, known[i], point->position);
        seen[i] = known[i] | (clamped ? GATHER_CLAMPED : 0);
    }
}

static void keep(struct ray_hit_cache *cache, const struct gather_point *point,
                 const struct ray_hit_key *key, const uint32_t *seen)
{
    uint32_t plain[GATHER_RAYS];
    for (int i = 0; i < key->rays; i++)
        plain[i] = seen[i] & ~GATHER_CLAMPED;
    ray_hit_cache_store(cache, point->cache_slot - 1, key, plain);
}

static void trace_with_cache(const struct radiosity *radiosity, const struct gather_table *table,
                             const struct gather_point *points, int count, uint32_t *seen)
{
    struct ray_hit_cache *cache = radiosity->scene->ray_hit_cache;
    struct gather_point fresh[GATHER_POINTS] = {{.cache_slot = 0}};
    struct ray_hit_key keys[GATHER_POINTS];
    uint32_t traced[GATHER_POINTS * GATHER_RAYS];
    int number[GATHER_POINTS], asked = 0;
    size_t rays = (size_t)table->rays;
    for (int i = 0; i < count; i++) {
        struct ray_hit_key key = key_of(table, &points[i]);
        const uint32_t *known =
            points[i].cache_slot ? ray_hit_cache_find(cache, points[i].cache_slot - 1, &key) : NULL;
        if (known) {
            take(&points[i], known, table->rays, seen + (size_t)i * rays);
            continue;
        }
        keys[asked] = key;
        number[asked] = i;
        fresh[asked++] = points[i];
    }
    if (asked)
        gather_trace_uncached(radiosity, table, fresh, asked, traced);
    for (int i = 0; i < asked; i++) {
        memcpy(seen + (size_t)number[i] * rays, traced + (size_t)i * rays, rays * sizeof *seen);
        if (fresh[i].cache_slot)
            keep(cache, &fresh[i], &keys[i], traced + (size_t)i * rays);
    }
}

void gather_trace(const struct radiosity *radiosity, const struct gather_table *table,
                  const struct gather_point *points, int count, uint32_t *seen)
{
    if (radiosity->scene->ray_hit_cache)
        trace_with_cache(radiosity, table, points, count, seen);
    else
        gather_trace_uncached(radiosity, table, points, count, seen);
}
