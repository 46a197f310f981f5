/* Direct light: from lamps, the sun and the sky straight to the luxels. */
#ifndef VRAD_DIRECT_DIRECT_H
#define VRAD_DIRECT_DIRECT_H

#include "vrad/lights/light.h"
#include "vrad/luxels/luxel.h"

struct direct_options {
    bool fast;     /* one sample a luxel */
    int fine;      /* samples of a luxel on a shadow's edge: a power of two, at most LUXEL_FINE; 0:
                      no supersampling */
    bool thorough; /* rays for every luxel, none foretold by its neighbours */
    bool everywhere; /* fine samples for all luxels and lights, not only on edges */
    int sky_rays;    /* of a luxel to the sky: a power of two; 0: leave the sky out */
    double min;      /* a lamp ends where it gives less than this, of 255; 0: nowhere */
};

/* Fills styles and `direct` of every lit face. Rays are counted on env->progress; a face with more
 * styles than it can hold is reported and keeps the strongest. */
void direct_light(const struct env *env, const struct scene *scene, const struct light_set *lights,
                  const struct direct_options *options, struct luxel_map *map);

#endif
