/* Surface lights seen from near: as the parallelogram that they are, not as a point. */
#ifndef VRAD_LIGHTS_LIGHT_NEAR_H
#define VRAD_LIGHTS_LIGHT_NEAR_H

#include "vrad/lights/light.h"

/* Whether a point at that distance from the middle of the light is so near that its shape counts.
 * Never of lights without sides. */
bool light_is_near(const struct light *light, double distance);

/* What light_at says, of a light that is near: its share and its direction are those of the vector
 * irradiance of the parallelogram (J. H. Lambert's sum over the edges), and pass over to those of
 * the point where it stops to be near. The direction meets the parallelogram at `distance`. */
double light_near(const struct light *light, struct vec3 point, struct vec3 *direction,
                  double *distance);

#endif
