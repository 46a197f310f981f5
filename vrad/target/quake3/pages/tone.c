/* The curve from light to bytes. */
#include <math.h>

#include "common/core/portable_math.h"
#include "vrad/target/quake3/level/srgb.h"
#include "vrad/target/quake3/pages/pages.h"
#include "vrad/target/quake3/pages/tone_options.h"

/* Overbright factor that the engine applies to lightmap pages of the file. */
#define ENGINE_BRIGHTENS 4

/* Brightness that contrast keeps, and the limit of its range. */
#define HALF_WHITE     127.5
#define CONTRAST_LIMIT 259.0

const struct tone_options tone_defaults = {
    .gamma = 1, .brightness = 1, .saturation = 1, .compensate = 1};

static bool is_shaped(const struct tone *tone)
{
    return tone->exposure > 0 || tone->brightness != 1 || tone->contrast != 1 ||
           tone->saturation != 1 || tone->share != 1 || tone->srgb;
}

struct tone quake3_tone(const struct vrad_options *options)
{
    const struct tone_options *own = options->quake3.tone;
    struct tone tone = {.scale = options->scale,
                        .gamma = own->gamma,
                        .after = 1,
                        .limit = 255,
                        .exposure = own->exposure,
                        .brightness = own->brightness,
                        .saturation = own->saturation,
                        .share = 1 / own->compensate,
                        .srgb = own->srgb_light};
    /* -255 makes all grey, 255 all black or white. */
    tone.contrast =
        CONTRAST_LIMIT * (own->contrast + 255) / (255 * (CONTRAST_LIMIT - own->contrast));
    tone.shaped = is_shaped(&tone);
    return tone;
}

struct tone quake3_tone_points(const struct quake3_light *q)
{
    struct tone tone = quake3_tone(q->options);
    tone.brightness = 1;
    tone.shaped = is_shaped(&tone);
    tone.limit = q->max_light;
    return tone;
}

struct tone quake3_tone_external(const struct vrad_options *options)
{
    struct tone tone = quake3_tone(options);
    tone.after = ENGINE_BRIGHTENS;
    return tone;
}

struct tone quake3_tone_of(const struct quake3_light *q, const struct receiver *receiver,
                           const struct tone *tone)
{
    const struct shader *shader = q->surfaces[receiver->surfaces[0]].material->shader;
    struct tone own = *tone;
    own.limit = q->max_light;
    if (shader) {
        own.scale *= shader->lightmap_brightness;
        own.gamma *= shader->lightmap_gamma;
    }
    return own;
}

static double largest(const double value[3])
{
    return portable_fmax(value[0], portable_fmax(value[1], value[2]));
}

/* The curve after gamma, for light from 0 to 255. */
static void shape(const struct tone *tone, double value[3])
{
    double max = largest(value), grey = 0, room = 1;
    if (tone->exposure > 0 && max > 0)
        room = 255 * (1 - portable_exp(-max / tone->exposure)) / max;
    else if (max > 255)
        room = 255 / max;
    for (int k = 0; k < 3; k++) {
        value[k] *= room * tone->brightness;
        value[k] = HALF_WHITE + tone->contrast * (value[k] - HALF_WHITE);
        grey += value[k] / 3;
    }
    for (int k = 0; k < 3; k++) {
        value[k] = (grey + tone->saturation * (value[k] - grey)) * tone->share;
        value[k] = portable_fmax(value[k], 0);
        if (tone->srgb)
            value[k] = 255 * srgb_from_linear(value[k] / 255);
    }
}

void quake3_bytes(const struct tone *tone, const float light[3], uint8_t out[3])
{
    double value[3];
    const double limit = portable_fmin(tone->limit * tone->after, 255);
    for (int k = 0; k < 3; k++) {
        value[k] = portable_fmax((double)light[k] * tone->scale, 0);
        if (tone->gamma != 1)
            value[k] = 255 * portable_pow(value[k] / 255, 1 / tone->gamma);
    }
    if (tone->shaped)
        shape(tone, value);
    for (int k = 0; k < 3; k++)
        value[k] *= tone->after;
    const double max = portable_fmax(limit, largest(value));
    for (int k = 0; k < 3; k++)
        out[k] = (uint8_t)(value[k] * limit / max);
}
