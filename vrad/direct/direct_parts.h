/* The direct light of groups of faces as parts of a store (vrad/store/light_store.h).
 *
 * A group is kept by the faces and all of the lights that may reach them, in their order. What a
 * light gives to a face does not depend on lights that do not reach it. */
#ifndef VRAD_DIRECT_DIRECT_PARTS_H
#define VRAD_DIRECT_DIRECT_PARTS_H

#include "common/core/sha256.h"
#include "vrad/direct/candidates.h"

struct direct_parts {
    struct light_store *store;                  /* NULL: nothing is found or kept */
    const struct reaching_lights *lights;       /* borrowed */
    unsigned char begin[SHA256_SIZE];           /* of what all groups depend on */
    unsigned char (*light_hashes)[SHA256_SIZE]; /* one per light */
    bool keeps_hits; /* a part has the shadow rays that the next set looks up */
};

/* All is borrowed. Parts of a scene that is to keep ray hits have those, and are kept by the
 * numbers of lights. */
void direct_parts_begin(struct light_store *store, const struct scene *scene,
                        const struct reaching_lights *lights, const struct direct_options *options,
                        struct direct_parts *out);
void direct_parts_end(struct direct_parts *parts);

/* The key of the faces from `first` to before `end`, which have these candidates: of each an stb_ds
 * array, NULL of one that is not lit. */
void direct_parts_key(const struct direct_parts *parts, size_t first, size_t end,
                      struct candidate *const candidates[], unsigned char out[SHA256_SIZE]);

#endif
