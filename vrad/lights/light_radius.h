/* Light culling radii: the distance at which a local light falls below a minimum. */
#ifndef VRAD_LIGHTS_LIGHT_RADIUS_H
#define VRAD_LIGHTS_LIGHT_RADIUS_H

#include "common/geom/vec.h"

struct light;

struct light_radii {
    int count;
    float *distance; /* one per light: its culling radius in units; INFINITY: none */
    float *at[3];    /* their origins by coordinate */
};

/* For all lights of an stb_ds array. Local lights end where they give less than `min` of 255. */
void light_radii_make(const struct light *lights, double min, struct light_radii *out);
void light_radii_free(struct light_radii *reach);

/* The lights whose radius reaches the box, in order: writes their numbers and returns the count. */
int light_radii_find(const struct light_radii *reach, const struct bounds *box, int *out);

#endif
