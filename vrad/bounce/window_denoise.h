/* Denoising where many luxels were gathered close together. */
#ifndef VRAD_BOUNCE_WINDOW_DENOISE_H
#define VRAD_BOUNCE_WINDOW_DENOISE_H

#include "vrad/bounce/window_fit.h"
#include "vrad/luxels/irradiance_cells.h"

/* A luxel, and the gathered ones of its window that are connected with it. */
struct window_place {
    int luxel;
    uint64_t mask;
};

/* The gathered luxels of a face with many others around them. Returns an stb_ds array. */
struct window_place *window_places_find(const struct face_light *light,
                                        const struct irradiance_cell *cells, ptrdiff_t count,
                                        const unsigned char *known);

/* Denoises the values of the places, 3 numbers per luxel of a slot, into `out`: they move to
 * polynomials through the values around them, as far as the variance of each, of its brightness,
 * explains. Light whose noise is too small to be seen stays. */
void window_denoise(const struct face_light *light, const struct window_place *places,
                    const float *values, const float *variance, float *out);

#endif
