#include "vvis/resume/component_cache.h"

#include <string.h>

enum { MATRICES = 2 };

/* Each word may come with two counts. */
static struct cache_key key_of(const unsigned char hash[SHA256_SIZE],
                               const struct component_entry *entry)
{
    const size_t clusters = (size_t)entry->clusters, words = clusters * (entry->pvs->words + 1) + 1;
    struct cache_key key = {.kind = "vvis-component", .max = 3 * sizeof(uint64_t) * words};
    memcpy(key.hash, hash, sizeof key.hash);
    return key;
}

static void set_shapes(const struct component_entry *entry, struct bit_matrix out[MATRICES])
{
    size_t clusters = (size_t)entry->clusters;
    out[0] = (struct bit_matrix){entry->pvs, clusters, clusters};
    out[1] = (struct bit_matrix){entry->costs, 1, 64 * clusters};
}

bool component_load(struct cache *cache, const unsigned char hash[SHA256_SIZE],
                    const struct component_entry *entry)
{
    struct bytes value = {0};
    struct bit_matrix matrices[MATRICES];
    const struct cache_key key = key_of(hash, entry);
    set_shapes(entry, matrices);
    bool is_found = cache_get(cache, &key, &value);
    if (is_found &&
        !bit_matrices_decode(byte_reader(value.data, value.size), matrices, MATRICES, NULL)) {
        cache_refuse(cache, &key, "it is no component of these clusters");
        is_found = false;
    }
    bytes_free(&value);
    return is_found;
}

void component_store(struct cache *cache, const unsigned char hash[SHA256_SIZE],
                     const struct component_entry *entry)
{
    struct bytes value = {0};
    struct bit_matrix matrices[MATRICES];
    const struct cache_key key = key_of(hash, entry);
    set_shapes(entry, matrices);
    bit_matrices_encode(matrices, MATRICES, &value);
    cache_put(cache, &key, &value);
    bytes_free(&value);
}
