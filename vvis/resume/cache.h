/* A folder of finished components, by cache key. */
#ifndef VVIS_RESUME_CACHE_H
#define VVIS_RESUME_CACHE_H

#include "common/env.h"
#include "vvis/resume/checkpoint_format.h"

/* The PVS of a component, and in one row the costs of its clusters. */
struct cache_entry {
    struct bit_rows *pvs, *costs;
    int clusters;
};

/* Fills the entry, whose rows have their shape, if the folder has it. A corrupt file is reported
 * (VIS_CACHE) and ignored. */
bool cache_load(const struct env *env, const char *folder, const unsigned char key[SHA256_SIZE],
                const struct cache_entry *entry);

/* Creates the folder if necessary. Failures are reported (VIS_CACHE). */
void cache_store(const struct env *env, const char *folder, const unsigned char key[SHA256_SIZE],
                 const struct cache_entry *entry);

#endif
