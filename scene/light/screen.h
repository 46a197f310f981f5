/* Light and the brightness of the screen, in which games blend; see gamma.h for bytes. */
#ifndef SCENE_LIGHT_SCREEN_H
#define SCENE_LIGHT_SCREEN_H

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

#endif
