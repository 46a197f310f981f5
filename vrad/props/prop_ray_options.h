/* Rays to the points of static props, a part of the options of vrad. */
#ifndef VRAD_PROPS_PROP_RAY_OPTIONS_H
#define VRAD_PROPS_PROP_RAY_OPTIONS_H

#include <stdbool.h>

struct option_part;

struct prop_ray_options {
    bool no_self_shadows; /* of static props */
    double sample_scale;  /* rays to a point of a static prop, in 32; 0: by the quality */
};

extern const struct prop_ray_options prop_ray_defaults;
extern const struct option_part prop_ray_part; /* its place in struct vrad_options */

#endif
