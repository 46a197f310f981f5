/* Light of Quake 3, which is stored in the colours of the screen. */
#ifndef SCENE_MESH_COLOUR_LIGHT_H
#define SCENE_MESH_COLOUR_LIGHT_H

#include <stdint.h>

#include "common/core/portable_math.h"

/* The engine brightens light by two bits (overbright), preserving hue, and multiplies colours in
 * screen space. */
#define COLOUR_BRIGHTENED 4
#define COLOUR_GAMMA      2.2

/* Linear light of a colour that is brightened; 255 is white. */
static inline void colour_light(const uint8_t from[3], double bright, float out[3])
{
    double max = portable_fmax(portable_fmax(from[0], from[1]), from[2]) * bright / 255;
    double scale = bright / 255 / (max > 1 ? max : 1);
    for (int k = 0; k < 3; k++)
        out[k] = (float)(255 * portable_pow(from[k] * scale, COLOUR_GAMMA));
}

#endif
