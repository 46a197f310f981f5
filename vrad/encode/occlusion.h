/* Ambient occlusion: an optional darkening of corners, on top of the physical one in bounced
 * light. */
#ifndef VRAD_ENCODE_OCCLUSION_H
#define VRAD_ENCODE_OCCLUSION_H

#include "vrad/luxels/luxel.h"
#include "vrad/vrad.h"

struct occlusion_options {
    double strength; /* 1: a fully enclosed luxel becomes black; 0: no effect */
    double radius;   /* units; occluders farther away have no effect, nearer ones more */
};

/* Returns the strength and radius that the options ask for. */
struct occlusion_options occlusion_options_of(const struct vrad_options *options);

/* Multiplies the light of every luxel, in all maps, by 1 - strength * occlusion: the
 * cosine-weighted mean of 1 - distance / radius over the hemisphere. */
void occlusion_apply(const struct env *env, const struct occlusion_options *options,
                     struct luxel_map *map);

#endif
