#include "scene/light/screen.h"

#include <math.h>

#include "common/core/portable_math.h"
#include "scene/light/gamma.h"

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
    float place = share * SCREEN_STEPS;
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
