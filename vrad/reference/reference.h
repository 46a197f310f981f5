/* Path-traced ground truth: bounced and sky light by paths through the map, without caching,
 * interpolation or lookups in lightmaps. */
#ifndef VRAD_REFERENCE_REFERENCE_H
#define VRAD_REFERENCE_REFERENCE_H

#include "vrad/lights/light.h"
#include "vrad/luxels/luxel.h"

struct reference_options {
    int paths;   /* per luxel: rounded up to a multiple of 16 */
    int bounces; /* maximum per path; 0: direct sky light only */
};

/* Fills `indirect` of every lit face that is not kept with the reflected and the sky light of style
 * 0: the mean of the paths, which is unbiased. Each vertex samples one local light or sun by
 * importance. */
void reference_light(const struct env *env, const struct scene *scene,
                     const struct light_set *lights, const struct reference_options *options,
                     struct luxel_map *map);

#endif
