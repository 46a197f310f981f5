/* What lights give by rays: few first, and more where shadows have their edges. */
#ifndef VRAD_DIRECT_VISIBILITY_SAMPLING_H
#define VRAD_DIRECT_VISIBILITY_SAMPLING_H

#include "vrad/direct/analytic_visibility.h"

/* Casts the rays of a light to all of a face: to some luxels, and to those between them only where
 * they do not agree; then, beside a shadow's edge, to all samples of a luxel for which one ray
 * stood. `far`: what the light gives to the middle of a luxel is what it gives to all of it. */
void sample_visibility(struct receiver *to, struct ray_samples *samples,
                       struct light_contribution *contribution, bool far);

/* Does again, finely, the luxels where a light has a shadow's edge or changes fast. `shares` is an
 * stb_ds array. */
void supersample(struct receiver *to, const struct face_shadows *shadows,
                 struct light_contribution *contributions);

#endif
