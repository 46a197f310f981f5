/* The truth, slowly: bounced light and the sky by paths through the map, with nothing kept between
 * luxels, nothing interpolated and nothing read back from lightmaps. */
#ifndef VRAD_REFERENCE_REFERENCE_H
#define VRAD_REFERENCE_REFERENCE_H

#include "vrad/lights/light.h"
#include "vrad/luxels/luxel.h"

struct reference_options {
    int paths;   /* of a luxel: rounded up to a multiple of 16 */
    int bounces; /* most bounces of a path; 0: straight from the sky alone */
};

/* Fills `indirect` of every lit face that is not kept with light of style 0 that comes by surfaces
 * or from the sky: the mean of the paths, whose expectation is exact. At each surface the light of
 * one lamp or sun is taken for all, chosen as often as it counts. */
void reference_light(const struct env *env, const struct scene *scene,
                     const struct light_set *lights, const struct reference_options *options,
                     struct luxel_map *map);

#endif
