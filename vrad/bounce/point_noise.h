/* The noise of gathered points, as their neighbours tell. */
#ifndef VRAD_BOUNCE_POINT_NOISE_H
#define VRAD_BOUNCE_POINT_NOISE_H

#include "vrad/luxels/irradiance_cells.h"

/* Estimates the standard deviation of gathered light, relative to all light of style 0 there, at
 * least `min_level` of 255: `out` gets one number per luxel, 0 where nothing is known. It is that
 * of the points around, without the point itself: a point that met nothing bright by chance has
 * little light and little variance, and to trust it because of that would lose light. */
void point_noise(const struct face_light *light, const unsigned char *known, const float *variance,
                 float min_level, float *out);

#endif
