/* Light as bytes of a screen: its exposure, and the highlights of high dynamic range. */
#ifndef SCENE_LIGHT_TONE_H
#define SCENE_LIGHT_TONE_H

#include <stddef.h>

#include "scene/light/gamma.h"

struct tone {
    double exposure; /* factor for light */
    bool soft;       /* highlights of HDR light are compressed, others cut off */
    struct gamma_table gamma;
};

/* An exposure of 0 is to be set before light is shown. */
void tone_fill(struct tone *tone, double exposure, bool soft);

/* Returns the exposure for HDR light: the logarithmic mean of all pixels becomes a middle grey.
 * Each has its light, 255 being white, and another number. */
double tone_automatic(const float (*pixels)[4], size_t count);

/* Returns light, 255 being white, as the screen shows it: linear, 0 .. 1 and beyond. */
double tone_light(const struct tone *tone, double light);
/* Returns its byte. */
uint8_t tone_byte(const struct tone *tone, double light);

#endif
