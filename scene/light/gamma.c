#include "scene/light/gamma.h"

#include <math.h>

#include "common/core/luminance.h"
#include "common/core/portable_math.h"

/* This near to a threshold, as a share of it, the rounding of the power decides. */
#define NEAR 1e-12

static double clamped(double light)
{
    return portable_fmin(portable_fmax(light, 0), 1);
}

uint8_t gamma_byte(double light)
{
    return (uint8_t)floor(255 * portable_pow(clamped(light), 1 / GAMMA) + 0.5);
}

void gamma_table_fill(struct gamma_table *table)
{
    table->thresholds[0] = 0;
    for (int i = 1; i < 256; i++)
        table->thresholds[i] = portable_pow((i - 0.5) / 255, GAMMA);
    table->thresholds[256] = HUGE_VAL;
    uint8_t byte = 0;
    for (int i = 0; i <= GAMMA_STEPS; i++) {
        while ((double)i / (double)GAMMA_STEPS >= table->thresholds[byte + 1])
            byte++;
        table->first[i] = byte;
    }
}

uint8_t gamma_table_byte(const struct gamma_table *table, double light)
{
    light = clamped(light);
    uint8_t byte = table->first[(int)(light * (double)GAMMA_STEPS)];
    while (light >= table->thresholds[byte + 1])
        byte++;
    double below = light - table->thresholds[byte], above = table->thresholds[byte + 1] - light;
    bool near = byte > 0 && below < NEAR * table->thresholds[byte];
    return near || above < NEAR * light ? gamma_byte(light) : byte;
}

void screen_fill(struct screen *screen)
{
    for (int i = 0; i <= SCREEN_STEPS; i++) {
        double share = i / (double)SCREEN_STEPS;
        screen->brightness[i] = (float)portable_pow(share, 2 / GAMMA);
        screen->light[i] = (float)portable_pow(share, GAMMA);
    }
    screen->brightness[SCREEN_STEPS + 1] = screen->light[SCREEN_STEPS + 1] = 1;
}

static float at(const float table[SCREEN_STEPS + 2], float share)
{
    float place = share * (float)SCREEN_STEPS;
    int step = (int)place;
    return table[step] + (place - (float)step) * (table[step + 1] - table[step]);
}

float screen_brightness(const struct screen *screen, float light)
{
    if (!(light > 0))
        return 0;
    return light < 1 ? at(screen->brightness, sqrtf(light)) : 1;
}

float screen_light(const struct screen *screen, float brightness)
{
    if (!(brightness > 0))
        return 0;
    return brightness < 1 ? at(screen->light, brightness) : 1;
}

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
