/* Finished components in the cache of the run, by cache_key. */
#ifndef VVIS_RESUME_COMPONENT_CACHE_H
#define VVIS_RESUME_COMPONENT_CACHE_H

#include "common/cache/cache.h"
#include "vvis/resume/bit_matrices.h"

/* The PVS of a component, and in one row the costs of its clusters. */
struct component_entry {
    struct bit_rows *pvs, *costs;
    int clusters;
};

/* Fills the entry, whose rows have their shape, if the cache has it. */
bool component_load(struct cache *cache, const unsigned char key[SHA256_SIZE],
                    const struct component_entry *entry);

void component_store(struct cache *cache, const unsigned char key[SHA256_SIZE],
                     const struct component_entry *entry);

#endif
