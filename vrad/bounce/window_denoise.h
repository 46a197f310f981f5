/* Denoising where many luxels were gathered close together. */
#ifndef VRAD_BOUNCE_WINDOW_DENOISE_H
#define VRAD_BOUNCE_WINDOW_DENOISE_H

#include "vrad/bounce/bounce_solve.h"
#include "vrad/bounce/window_fit.h"
#include "vrad/luxels/irradiance_cells.h"

/* The share of a deviation of that brightness that is noise: all of it while its square is at most
 * 1.5 times the variance, less beyond. */
static inline float noise_share(float bright, float variance)
{
    float likely = 1.5f * variance, square = bright * bright;
    return square > likely ? likely / square : 1;
}

/* Denoises the values of gathered luxels (`known`, LUXEL_GATHERED) with many others around them, 3
 * numbers per luxel of a slot, into `out`: they move to polynomials through the values around them,
 * as far as the variance of each, of its brightness, explains. Light whose noise is too small to be
 * seen stays. `open`, one per luxel, tells where light may be followed: values are compared with
 * those that are connected with them. */
void window_denoise(const struct face_light *light, const unsigned char *known,
                    const unsigned char *open, const float *values, const float *variance,
                    float *out);

/* Luxels between which light may be interpolated, or that were gathered: 1, else 0. On the heap. */
unsigned char *window_open_luxels(const struct face_light *light,
                                  const struct irradiance_cell *cells, ptrdiff_t count,
                                  const unsigned char *known);

#endif
