/* Linear light on a screen with a gamma of 2.2: its brightness, in which games blend, and its
 * bytes, with an exposure. */
#ifndef SCENE_LIGHT_GAMMA_H
#define SCENE_LIGHT_GAMMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- brightness --- */

enum { SCREEN_STEPS = 1024 };

/* Powers by interpolation. */
struct screen {
    float brightness[SCREEN_STEPS + 2]; /* by the square root of light, which is nearly straight */
    float light[SCREEN_STEPS + 2];      /* by brightness */
};

void screen_fill(struct screen *screen);

/* Both are for 0 .. 1, beyond which values are cut off; 0 and 1 are exact. */
float screen_brightness(const struct screen *screen, float light);
float screen_light(const struct screen *screen, float brightness);

/* --- bytes --- */

#define GAMMA 2.2

enum { GAMMA_STEPS = 4096 };

/* gamma_byte without powers: it compares with the lights at which the byte changes. */
struct gamma_table {
    double thresholds[257];         /* of byte i: the least light; the last is infinite */
    uint8_t first[GAMMA_STEPS + 1]; /* by light: the byte at the start of the step */
};

void gamma_table_fill(struct gamma_table *table);

/* Returns the byte of light, of which 0 is black and 1 is white; the nearest for others. */
uint8_t gamma_byte(double light);
/* Returns the same. */
uint8_t gamma_table_byte(const struct gamma_table *table, double light);

/* --- tone: the exposure of light, and the highlights of high dynamic range --- */

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
