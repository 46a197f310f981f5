/* Direct light: from local lights, suns and the sky. */
#ifndef VRAD_DIRECT_DIRECT_H
#define VRAD_DIRECT_DIRECT_H

#include "vrad/luxels/luxel.h"

struct light_set;

struct light_store;

struct direct_options {
    bool fast;       /* one sample per luxel */
    int fine;        /* samples per luxel at shadow edges: a power of two, at most LUXEL_FINE; 0: no
                        supersampling */
    int soft;        /* the same in the penumbra of a soft sun; 0: LUXEL_FINE */
    bool thorough;   /* rays for every luxel: no adaptive visibility sampling */
    bool everywhere; /* supersamples all luxels for all lights */
    int sky_rays;    /* per luxel: a power of two; 0: no sky light */
    double min; /* culling radius: local lights end where they contribute less than this, of 255; 0:
                   never */
    struct light_store *store; /* where direct light is kept for later runs; NULL: nowhere */
};

/* Fills styles and `direct` of every lit face. Rays are counted on env->progress; a face with more
 * styles than the file can hold is reported and keeps the strongest. */
void direct_light(const struct env *env, const struct scene *scene, const struct light_set *lights,
                  const struct direct_options *options, struct luxel_map *map);

#endif
