/* Ambient occlusion: an optional darkening of corners, on top of the physical one in bounced
 * light. And the opposite: light from all directions in which nothing is near. */
#ifndef VRAD_ENCODE_OCCLUSION_H
#define VRAD_ENCODE_OCCLUSION_H

#include "vrad/luxels/luxel.h"
#include "vrad/vrad.h"

enum occlusion_part { OCCLUSION_OF_DIRECT = 1, OCCLUSION_OF_BOUNCED = 2 };

struct occlusion_options {
    double strength;  /* 1: a fully enclosed luxel becomes black; 0: no effect */
    double radius;    /* units; occluders farther away have no effect, nearer ones more */
    double gain;      /* exponent of the occlusion; 0: 1 */
    bool even;        /* all directions weigh the same, instead of by their cosine */
    bool ordered;     /* the same rays at all points */
    unsigned parts;   /* of the light: bits of enum occlusion_part; 0: all */
    bool sky_is_open; /* the sky does not occlude, nor does what is behind it */
    int rays;         /* per point: a multiple of TRACE_PACKET; 0: 64 */
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

/* Light that comes from everywhere, and from surfaces nearer than `distance` by their share of
 * it. */
struct open_light {
    struct vec3 colour; /* of 255, where nothing is near */
    double distance;    /* units; 0: there is no such light */
    int rays;           /* per point: a multiple of TRACE_PACKET */
};

/* Adds it to the direct light of style 0 of every luxel that is not hidden. `lights` has one for
 * each face of the map. */
void open_light_apply(const struct env *env, const struct open_light *lights,
                      struct luxel_map *map);

/* Returns the share of its colour for a point, which lies off its surface. */
float open_light_at_point(const struct open_light *light, const struct scene *scene,
                          struct vec3 point, struct vec3 normal, uint64_t seed);

#endif
