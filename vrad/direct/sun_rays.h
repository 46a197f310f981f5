/* Fine rays from a luxel to a sun: all of them bring the same, so that they need only be counted.
 */
#ifndef VRAD_DIRECT_SUN_RAYS_H
#define VRAD_DIRECT_SUN_RAYS_H

#include "vrad/direct/light_contribution.h"

/* What the sun gives to a luxel that sees all of it, one per slot: all of it lies the same way.
 * False: nothing. */
bool sun_weights(const struct receiver *to, const struct light *sun, int luxel,
                 float weight[LUXEL_SLOTS]);

/* Whether rays to the light need only be counted: it is a sun, nothing but solids stands between,
 * and no ray is known from before. */
bool sun_rays_serve(const struct receiver *to, const struct light_contribution *contribution);

/* Measures the luxel's share of a sun again, by the first `first` of its fine samples; where these
 * do not agree by all of them. */
void sun_rays_measure(struct receiver *to, struct light_contribution *contribution,
                      const struct fine_samples *fine, int luxel, int first);

#endif
