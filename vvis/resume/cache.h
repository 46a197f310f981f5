/* Finished parts of maps in a folder, by what they were computed from. */
#ifndef VVIS_RESUME_CACHE_H
#define VVIS_RESUME_CACHE_H

#include "common/env.h"
#include "vvis/resume/checkpoint_format.h"

/* A part's PVS, and in one row its clusters' costs. */
struct cache_entry {
    struct bit_rows *pvs, *costs;
    int clusters;
};

/* Fills the entry, whose rows have their shape, when the folder has it. One that is damaged is
 * reported (VIS_CACHE) and counts as absent. */
bool cache_load(const struct env *env, const char *folder, const unsigned char key[SHA256_SIZE],
                const struct cache_entry *entry);

/* Makes the folder. What goes wrong is reported (VIS_CACHE). */
void cache_store(const struct env *env, const char *folder, const unsigned char key[SHA256_SIZE],
                 const struct cache_entry *entry);

#endif
