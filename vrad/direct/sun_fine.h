/* Fine rays from a luxel to a sun: all of them bring the same, so that they need only be counted.
 */
#ifndef VRAD_DIRECT_SUN_FINE_H
#define VRAD_DIRECT_SUN_FINE_H

#include "vrad/direct/direct_face.h"

/* Whether nothing but solids stands between, and no ray is known from before. */
bool sun_fine_serves(const struct direct_face *face, const struct light_share *share);

/* Measures the luxel's share of a sun anew, by the first `first` of its fine samples; where these
 * do not agree by all of them. */
void sun_fine_measure(struct direct_face *face, struct light_share *share,
                      const struct fine_samples *fine, int luxel, int first);

#endif
