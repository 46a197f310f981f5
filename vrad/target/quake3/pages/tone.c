#include "vrad/target/quake3/parts.h"

struct tone quake3_tone(const struct vrad_options *options)
{
    return (struct tone){options->scale, options->quake3.gamma, 1};
}

/* By this the engine multiplies the light of pages in the file, in the end. */
#define ENGINE_BRIGHTENS 4

struct tone quake3_tone_outside(const struct vrad_options *options)
{
    struct tone tone = quake3_tone(options);
    tone.after = ENGINE_BRIGHTENS;
    return tone;
}

void quake3_bytes(const struct tone *tone, const float light[3], uint8_t out[3])
{
    double value[3], most = 255;
    for (int k = 0; k < 3; k++) {
        value[k] = fmax((double)light[k] * tone->scale, 0);
        if (tone->gamma != 1)
            value[k] = 255 * pow(value[k] / 255, 1 / tone->gamma);
        value[k] *= tone->after;
        most = fmax(most, value[k]);
    }
    for (int k = 0; k < 3; k++)
        out[k] = (uint8_t)(value[k] * 255 / most + 0.5);
}
