#include "vrad/direct/direct_parts.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "vrad/lights/light_set.h"
#include "vrad/scene/ray_hit_cache.h"
#include "vrad/store/light_store.h"

static void hash_light(const struct direct_parts *parts, const struct light *light,
                       unsigned char out[SHA256_SIZE])
{
    struct bytes text = {0};
    light_append(light, &text);
    if (parts->keeps_hits)
        bytes_i32(&text, light->match_id);
    sha256_of(text.data, text.size, out);
    bytes_free(&text);
}

/* The options as the run and its lights have set them, and where lights end. */
static void append_settings(const struct direct_parts *parts, const struct direct_options *options,
                            struct bytes *out)
{
    const struct light_set *lights = parts->lights->set;
    const double ends[] = {options->min, lights->end.envelope, lights->end.received,
                           lights->end.of_points};
    bytes_u8(out, options->fast);
    bytes_u8(out, options->thorough);
    bytes_u8(out, options->everywhere);
    bytes_u8(out, parts->keeps_hits);
    bytes_i32(out, options->fine);
    bytes_i32(out, options->soft);
    bytes_i32(out, options->sky_rays);
    bytes_append(out, ends, sizeof ends);
    if (options->sky_rays > 0 && lights->sky >= 0)
        light_append(&lights->lights[lights->sky], out);
}

void direct_parts_begin(struct light_store *store, const struct scene *scene,
                        const struct reaching_lights *lights, const struct direct_options *options,
                        struct direct_parts *out)
{
    const size_t count = arrlenu(lights->set->lights);
    *out = (struct direct_parts){.store = store, .lights = lights};
    if (!store)
        return;
    struct bytes settings = {0};
    struct sha256 hash;
    out->keeps_hits = ray_hit_cache_keeps_visibility(scene->ray_hit_cache);
    append_settings(out, options, &settings);
    sha256_begin(&hash);
    sha256_add(&hash, settings.data, settings.size);
    sha256_end(&hash, out->begin);
    out->light_hashes = memory_alloc((count + 1) * sizeof *out->light_hashes);
    for (size_t i = 0; i < count; i++)
        hash_light(out, &lights->set->lights[i], out->light_hashes[i]);
    bytes_free(&settings);
}

void direct_parts_end(struct direct_parts *parts)
{
    memory_free(parts->light_hashes);
}

static int in_order(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void add_face(const struct direct_parts *parts, const struct candidate *candidates,
                     struct sha256 *hash)
{
    int *lights = NULL;
    const uint64_t count = arrlenu(candidates);
    arrsetlen(lights, count);
    for (size_t i = 0; i < count; i++)
        lights[i] = candidates[i].light;
    if (count > 1)
        qsort(lights, count, sizeof *lights, in_order);
    sha256_add(hash, &count, sizeof count);
    for (size_t i = 0; i < count; i++)
        sha256_add(hash, parts->light_hashes[lights[i]], SHA256_SIZE);
    arrfree(lights);
}

void direct_parts_key(const struct direct_parts *parts, size_t first, size_t end,
                      struct candidate *const candidates[], unsigned char out[SHA256_SIZE])
{
    const uint64_t range[] = {first, end};
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, parts->begin, sizeof parts->begin);
    sha256_add(&hash, range, sizeof range);
    for (size_t i = first; i < end; i++)
        add_face(parts, candidates[i - first], &hash);
    sha256_end(&hash, out);
}
