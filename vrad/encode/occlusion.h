/* Ambient occlusion: an optional darkening of corners, on top of the physical one in bounced
 * light. */
#ifndef VRAD_ENCODE_OCCLUSION_H
#define VRAD_ENCODE_OCCLUSION_H

#include "vrad/luxels/luxel.h"
#include "vrad/vrad.h"

enum occlusion_part { OCCLUSION_OF_DIRECT = 1, OCCLUSION_OF_BOUNCED = 2 };

struct occlusion_options {
    double strength; /* 1: a fully enclosed luxel becomes black; 0: no effect */
    double radius;   /* units; occluders farther away have no effect, nearer ones more */
    double gain;     /* exponent of the occlusion; 0: 1 */
    bool even;       /* all directions weigh the same, instead of by their cosine */
    bool ordered;    /* the same rays at all points */
    unsigned parts;  /* of the light: bits of enum occlusion_part; 0: all */
};

/* Returns what the options for all engines ask for. */
struct occlusion_options occlusion_options_of(const struct vrad_options *options);

/* Multiplies the light of every luxel, in all maps, by 1 - strength * occlusion, at least 0. The
 * occlusion is the mean of 1 - distance / radius over the hemisphere, to the power of the gain. */
void occlusion_apply(const struct env *env, const struct occlusion_options *options,
                     struct luxel_map *map);

/* Returns that factor for a point, which lies off its surface. */
float occlusion_at_point(const struct occlusion_options *options, const struct scene *scene,
                         struct vec3 point, struct vec3 normal, uint64_t seed);

#endif
