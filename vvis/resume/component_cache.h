/* Finished components in the cache of the run, by cache_key. The cache is that of rank 0. */
#ifndef VVIS_RESUME_COMPONENT_CACHE_H
#define VVIS_RESUME_COMPONENT_CACHE_H

#include "common/cache/cache.h"
#include "vvis/resume/bit_matrices.h"
#include "vvis/resume/checkpoint.h"

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

/* A component of a run. */
struct kept_component {
    const struct env *env;
    bool is_wanted; /* else none is found or kept; the same on all ranks */
    struct cache_key_source source;
    struct checkpoint *checkpoint; /* which has the costs of the map's clusters */
    const int *clusters;           /* their numbers in the map */
};

/* Returns true, with the rows, which rank 0 alone has, and the costs set, when an earlier run has
 * resolved the same component. Collective. */
bool component_take(const struct kept_component *component, struct bit_rows *pvs);

/* Keeps the rows that this run has found. */
void component_keep(const struct kept_component *component, struct bit_rows *pvs);

#endif
