/* Light as files hold it: three bytes and a shared exponent (struct bsp_colour). */
#ifndef VRAD_LUXELS_COLOUR_H
#define VRAD_LUXELS_COLOUR_H

#include "common/bsp/bsp.h"

/* The nearest colour: the exponent that puts the largest part in 128 .. 255, and bytes rounded to
 * nearest (truncation would darken by half a step). What is negative or no number becomes 0, what
 * is too bright the brightest. */
struct bsp_colour colour_encode(const float rgb[3]);
void colour_decode(struct bsp_colour colour, float rgb[3]);

#endif
