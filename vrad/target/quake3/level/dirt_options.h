/* Ambient occlusion of a kind that maps of Quake 3 are made for, a part of the options of vrad. */
#ifndef VRAD_QUAKE3_LEVEL_DIRT_OPTIONS_H
#define VRAD_QUAKE3_LEVEL_DIRT_OPTIONS_H

#include <stdbool.h>

struct option_part;

struct dirt_options {
    bool on;
    double depth, scale, gain; /* units; strength; exponent */
    int mode;                  /* 0: the same rays at each luxel; 1: others at each */
};

extern const struct dirt_options dirt_defaults;
extern const struct option_part dirt_part; /* its place in struct vrad_options */

#endif
