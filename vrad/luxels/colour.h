/* The colour format of the lighting lumps: three bytes and a shared exponent (struct
 * bsp_colour). */
#ifndef VRAD_LUXELS_COLOUR_H
#define VRAD_LUXELS_COLOUR_H

#include "common/bsp/bsp.h"

/* The nearest colour: the exponent that puts the largest channel in 128 .. 255, and bytes rounded
 * to nearest (truncation would darken by half a step). Negative values and NaN become 0, values out
 * of range the maximum. */
struct bsp_colour colour_encode(const float rgb[3]);
void colour_decode(struct bsp_colour colour, float rgb[3]);

#endif
