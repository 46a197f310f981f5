/* Texture lights on the luxels near to them, which may see some parts of a patch and not others:
 * rays to points all over the patch tell the share of its light that they get. */
#ifndef VRAD_DIRECT_NEAR_PATCH_H
#define VRAD_DIRECT_NEAR_PATCH_H

#include "vrad/direct/light_contribution.h"

/* Marks the luxels that are so near to a light with a shape: one byte each, in the receiver's
 * arena. NULL: none. */
unsigned char *near_patch_luxels(const struct receiver *to, const struct light *light);

/* Samples of luxels, for all lights of a face: as many as at the edges of other shadows, and those
 * of luxels in which the light has an edge. */
struct near_caches {
    struct fine_cache usual, sharp;
};

/* The contribution of the light of `from` to its near luxels alone. */
struct light_contribution near_patch_light(struct receiver *to, struct near_caches *caches,
                                           const struct light_contribution *from);

#endif
