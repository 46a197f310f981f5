/* How static props block and reflect light, a part of the options of vrad. */
#ifndef VRAD_SCENE_PROP_SCENE_OPTIONS_H
#define VRAD_SCENE_PROP_SCENE_OPTIONS_H

#include <stdbool.h>

struct option_part;

struct prop_scene_options {
    bool triangles; /* they block light with their render meshes, not their collision hulls */
    double bounces; /* they reflect light, after at most so many bounces; 0: they are black, below
                       0: any number */
};

extern const struct prop_scene_options prop_scene_defaults;
extern const struct option_part prop_scene_part; /* its place in struct vrad_options */

#endif
