/* The transfer curve of sRGB (IEC 61966-2-1), from and to linear values; 1 is white. */
#ifndef VRAD_QUAKE3_LEVEL_SRGB_H
#define VRAD_QUAKE3_LEVEL_SRGB_H

#include <math.h>

#include "common/core/portable_math.h"
#include "common/geom/vec.h"

static inline double srgb_to_linear(double value)
{
    return value <= 0.04045 ? value / 12.92 : portable_pow((value + 0.055) / 1.055, 2.4);
}

static inline double srgb_from_linear(double value)
{
    return value <= 0.0031308 ? value * 12.92 : 1.055 * portable_pow(value, 1 / 2.4) - 0.055;
}

/* The colour, made linear if it is sRGB. */
static inline struct vec3 srgb_colour(struct vec3 colour, bool is_srgb)
{
    for (int k = 0; k < 3 && is_srgb; k++)
        colour.e[k] = srgb_to_linear(colour.e[k]);
    return colour;
}

#endif
