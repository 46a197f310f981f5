/* light_at for many points at once, in single precision. */
#ifndef VRAD_LIGHTS_LIGHT_MANY_H
#define VRAD_LIGHTS_LIGHT_MANY_H

#include "vrad/lights/light.h"

/* Rows of `count` numbers; those of the results are the caller's. */
struct light_rows {
    int count;
    const float *point[3];
    float *direction[3]; /* unit, to the light */
    float *distance;
    float *share; /* as light_at gives it */
};

/* For point, spot and surface lights. */
void light_at_many(const struct light *light, const struct light_rows *rows);

#endif
