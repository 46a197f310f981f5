/* How far lamps reach. */
#ifndef VRAD_LIGHTS_LAMP_REACH_H
#define VRAD_LIGHTS_LAMP_REACH_H

#include "vrad/lights/light.h"

struct lamp_reach {
    int count;
    float *distance; /* one a light: beyond it, in units, it gives too little; INFINITY: it has no
                        end, or none is known */
    float *at[3];    /* where they stand, side by side */
};

/* Of all lights of an stb_ds array. Lamps end where they give less than `least` of 255. */
void lamp_reach_make(const struct light *lights, double min, struct lamp_reach *out);
void lamp_reach_free(struct lamp_reach *reach);

/* The lights that reach into the box, in their order: writes their numbers and returns how many. */
int lamp_reach_find(const struct lamp_reach *reach, const struct bounds *box, int *out);

#endif
