/* Samples of luxels, a part of the options of vrad. */
#ifndef VRAD_LUXELS_SAMPLE_OPTIONS_H
#define VRAD_LUXELS_SAMPLE_OPTIONS_H

#include <stdbool.h>

struct option_part;

struct sample_options {
    bool no_extra;    /* no supersampling */
    double extra_sky; /* multiplier of sky samples; 0: by fast and final */
};

extern const struct sample_options sample_defaults;
extern const struct option_part sample_part; /* its place in struct vrad_options */

#endif
