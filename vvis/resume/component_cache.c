#include "vvis/resume/component_cache.h"

#include <string.h>

#include "common/core/memory.h"
#include "common/farm/ranks.h"

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

static size_t clusters_of(const struct kept_component *component)
{
    return (size_t)component->source.prt->cluster_count;
}

static bool load(const struct kept_component *component, struct bit_rows *pvs)
{
    const size_t clusters = clusters_of(component);
    unsigned char key[SHA256_SIZE];
    struct bit_rows costs = bit_rows_new(1, 64 * clusters);
    *pvs = bit_rows_new(clusters, clusters);
    cache_key(&component->source, key);
    bool is_found = component_load(component->env->cache, key,
                                   &(struct component_entry){pvs, &costs, (int)clusters});
    uint64_t *all_costs = checkpoint_costs(component->checkpoint);
    for (size_t i = 0; i < clusters && is_found; i++)
        all_costs[component->clusters[i]] = costs.data[i];
    memory_free(costs.data);
    if (!is_found)
        memory_free(pvs->data);
    return is_found;
}

bool component_take(const struct kept_component *component, struct bit_rows *pvs)
{
    struct ranks *ranks = component->env->ranks;
    *pvs = (struct bit_rows){0};
    if (!component->is_wanted)
        return false;
    uint8_t is_found = ranks_rank(ranks) == 0 && load(component, pvs);
    ranks_broadcast_block(ranks, &is_found, sizeof is_found);
    return is_found != 0;
}

void component_keep(const struct kept_component *component, struct bit_rows *pvs)
{
    const size_t clusters = clusters_of(component);
    unsigned char key[SHA256_SIZE];
    if (!component->is_wanted || ranks_rank(component->env->ranks) > 0)
        return;
    struct bit_rows costs = bit_rows_new(1, 64 * clusters);
    const uint64_t *all_costs = checkpoint_costs(component->checkpoint);
    for (size_t i = 0; i < clusters; i++)
        costs.data[i] = all_costs[component->clusters[i]];
    cache_key(&component->source, key);
    component_store(component->env->cache, key,
                    &(struct component_entry){pvs, &costs, (int)clusters});
    memory_free(costs.data);
}
