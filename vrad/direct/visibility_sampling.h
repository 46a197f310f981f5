/* Adaptive visibility sampling of a light by rays: few at first, and more along shadow edges. */
#ifndef VRAD_DIRECT_VISIBILITY_SAMPLING_H
#define VRAD_DIRECT_VISIBILITY_SAMPLING_H

#include "vrad/direct/analytic_visibility.h"

/* Traces the rays of a light to a face: those that are marked and some luxels first, those between
 * them where the results differ, and then all samples of luxels along shadow edges that had a
 * single ray. `far`: a luxel's middle stands for all of it. */
void sample_visibility(struct receiver *to, struct ray_samples *samples,
                       struct light_contribution *contribution, bool far);

/* Supersamples luxels on shadow edges and in fast changing light. `contributions` is an stb_ds
 * array. `cache`: of the fine samples. */
void supersample(struct receiver *to, const struct face_shadows *shadows,
                 struct light_contribution *contributions, struct fine_cache *cache);

#endif
