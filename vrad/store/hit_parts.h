/* The hits of the rays of gather points as parts of a store: they are of the scene alone, whatever
 * its lights. */
#ifndef VRAD_STORE_HIT_PARTS_H
#define VRAD_STORE_HIT_PARTS_H

#include "common/env.h"
#include "vrad/luxels/luxel.h"
#include "vrad/store/light_store.h"

/* The gather points of a run. */
struct hit_parts {
    const struct env *env;
    struct light_store *store;   /* NULL: nothing is read or kept */
    struct ray_hit_cache **hits; /* of the scene */
    size_t slots;
    uint32_t numbers; /* hits without their marks are below this */
};

/* Gives the scene room for the hits of rays: those of gather points, which it reads from the store,
 * and with `faces` those of shadow rays. `others`: slots behind those of luxels. Nothing without a
 * store and faces. All is borrowed, until the end. */
void hit_parts_begin(const struct env *env, struct light_store *store, struct scene *scene,
                     const struct luxel_map *map, size_t others, size_t faces,
                     struct hit_parts *out);

/* Puts the points of this run into the store, in place of those that were read, where some are new,
 * unless the run has failed. Then frees them. */
void hit_parts_end(struct hit_parts *parts, enum status status);

#endif
