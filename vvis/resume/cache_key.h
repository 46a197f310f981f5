/* Cache key: a hash of everything that the result depends on. */
#ifndef VVIS_RESUME_CACHE_KEY_H
#define VVIS_RESUME_CACHE_KEY_H

#include "common/bsp/sidecar/prt.h"
#include "common/core/sha256.h"

struct vvis_options;

/* A hash of the sources that decide what is seen, made by the build: a version number could be
 * forgotten. */
extern const char vvis_code[];

/* The input of a key. All borrowed. */
struct cache_key_source {
    const struct prt *prt;
    const struct vvis_options *options;
    double radius;
    size_t portals_in_map; /* with a budget, of which a component has its share; else 0 */
};

/* Hashes the clusters, the portals bit by bit, the radius, the options of vvis that may change a
 * result (option_group_hash), and the sources that this program was built from, in the byte order
 * of the processor: equal keys mean equal results. Takes a millisecond or more, so call it only
 * when the key is needed. */
void cache_key(const struct cache_key_source *source, unsigned char out[SHA256_SIZE]);

#endif
