/* Ambient occlusion: the darkening of corners that painters like. Bounced light has the real one
 * in it; this adds to it, by taste. */
#ifndef VRAD_ENCODE_OCCLUSION_H
#define VRAD_ENCODE_OCCLUSION_H

#include "vrad/luxels/luxel.h"

struct occlusion_options {
    double strength; /* 1: a luxel that is closed in at once is black; 0: nothing happens */
    double radius;   /* units; what is further away does not darken, what is nearer does the more */
};

/* Multiplies the light of every luxel, in all its maps, by 1 - strength * occlusion: the mean over
 * the hemisphere, by the cosine, of 1 - distance / radius. */
void occlusion_apply(const struct env *env, const struct occlusion_options *options,
                     struct luxel_map *map);

#endif
