/* How far lamps reach. */
#ifndef VRAD_LIGHTS_LIGHT_RADIUS_H
#define VRAD_LIGHTS_LIGHT_RADIUS_H

#include "vrad/lights/light.h"

struct light_radii {
    int count;
    float *distance; /* one per light: beyond it, in units, it gives too little; INFINITY: it has no
                        end, or none is known */
    float *at[3];    /* where they stand, side by side */
};

/* Of all lights of an stb_ds array. Lamps end where they give less than `least` of 255. */
void light_radii_make(const struct light *lights, double min, struct light_radii *out);
void light_radii_free(struct light_radii *reach);

/* The lights that reach into the box, in their order: writes their numbers and returns how many. */
int light_radii_find(const struct light_radii *reach, const struct bounds *box, int *out);

#endif
