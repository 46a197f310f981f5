#include "vrad/colour.h"

#include <math.h>

enum { EXPONENT_MIN = -128, EXPONENT_MAX = 127 };

struct bsp_colour colour_encode(const float rgb[3])
{
    double part[3], most = 0, brightest = ldexp(255, EXPONENT_MAX);
    for (int k = 0; k < 3; k++) {
        part[k] = rgb[k] > 0 ? fmin((double)rgb[k], brightest) : 0;
        most = fmax(most, part[k]);
    }
    if (most == 0)
        return (struct bsp_colour){0, 0, 0, 0};
    int exponent;
    frexp(most, &exponent); /* most is in [0.5, 1) of 2^exponent */
    exponent -= 8;
    if (ldexp(most, -exponent) >= 255.5)
        exponent++;
    exponent = exponent < EXPONENT_MIN   ? EXPONENT_MIN
               : exponent > EXPONENT_MAX ? EXPONENT_MAX
                                         : exponent;
    uint8_t bytes[3];
    for (int k = 0; k < 3; k++)
        bytes[k] = (uint8_t)fmin(floor(ldexp(part[k], -exponent) + 0.5), 255);
    return (struct bsp_colour){bytes[0], bytes[1], bytes[2], (int8_t)exponent};
}

void colour_decode(struct bsp_colour colour, float rgb[3])
{
    float scale = ldexpf(1, colour.exponent);
    rgb[0] = colour.r * scale;
    rgb[1] = colour.g * scale;
    rgb[2] = colour.b * scale;
}
