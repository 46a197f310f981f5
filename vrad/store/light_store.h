/* Parts of the light of a map, kept for later runs: whoever moves a lamp waits for what the lamp
 * changes.
 *
 * A part is kept by all that it depends on: the scene, which light_store_new is given, and the
 * lights that its caller hashes. So a part that is found has the bytes that the run would compute,
 * and later runs of other lights find the parts that these do not reach.
 *
 * The cache has an entry for each kind of parts of a scene: those that the last run has found or
 * made, if enough of them were new. They are made again in little time, so that only the folder of
 * a cache has them, not a server behind it. */
#ifndef VRAD_STORE_LIGHT_STORE_H
#define VRAD_STORE_LIGHT_STORE_H

#include "common/cache/cache.h"

struct light_store;

enum light_part {
    LIGHT_PART_OF_FACES, /* direct light */
    LIGHT_PART_OF_HITS,  /* what rays of gather points hit */
    LIGHT_STORE_PARTS
};

/* `scene`: the hash of all that the run sees but its lights, with its options. The cache is
 * borrowed. NULL when it has no folder. */
struct light_store *light_store_new(struct cache *cache, const unsigned char scene[SHA256_SIZE]);
void light_store_free(struct light_store *store); /* NULL is fine */

/* By any thread: sets *out to what was put with the key by an earlier run,
 * whole, but not checked against the map. Borrowed until the store is freed. */
bool light_store_find(struct light_store *store, enum light_part kind,
                      const unsigned char key[SHA256_SIZE], struct byte_reader *out);

/* By any thread: keeps a copy for later runs, instead of what was found with the key. */
void light_store_put(struct light_store *store, enum light_part kind,
                     const unsigned char key[SHA256_SIZE], const struct bytes *part);

/* By any thread: what was found is no part of the map, which is told (CACHE_DAMAGED). */
void light_store_refuse(struct light_store *store, enum light_part kind,
                        const unsigned char key[SHA256_SIZE]);

/* At the end of a run that has succeeded: writes what has changed. */
void light_store_keep(struct light_store *store); /* NULL is fine */

#endif
