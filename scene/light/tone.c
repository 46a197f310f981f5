#include "scene/light/tone.h"

#include "common/core/luminance.h"
#include "common/core/portable_math.h"

#define WHITE 255.0

/* The logarithmic mean becomes this share of white; light of several times white just reaches it.
 */
#define MIDDLE_GREY  0.18
#define BRIGHTEST    6.0
#define MIN_LIGHT    0.02
#define MAX_EXPOSURE 16.0

void tone_fill(struct tone *tone, double exposure, bool soft)
{
    tone->exposure = exposure;
    tone->soft = soft;
    gamma_table_fill(&tone->gamma);
}

double tone_automatic(const float (*pixels)[4], size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += portable_log(portable_fmax(luminance_of(pixels[i]) / WHITE, MIN_LIGHT));
    return portable_fmin(MIDDLE_GREY / portable_exp(sum / (double)count), MAX_EXPOSURE);
}

double tone_light(const struct tone *tone, double light)
{
    double exposed = tone->exposure * light / WHITE;
    if (!tone->soft)
        return exposed;
    return exposed * (1 + exposed / (BRIGHTEST * BRIGHTEST)) / (1 + exposed);
}

uint8_t tone_byte(const struct tone *tone, double light)
{
    return gamma_table_byte(&tone->gamma, tone_light(tone, light));
}
