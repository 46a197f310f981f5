#include "vrad/colour.h"

#include <math.h>
#include <string.h>

enum { EXPONENT_MIN = -128, EXPONENT_MAX = 127, DOUBLE_BIAS = 1023, DOUBLE_FRACTION = 52 };

/* Of an exponent within those of normal numbers. */
static double power_of_two(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + DOUBLE_BIAS) << DOUBLE_FRACTION;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* The exponent of the power of two that is just above a positive normal number. */
static int exponent_above(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (int)(bits >> DOUBLE_FRACTION) - DOUBLE_BIAS + 1;
}

struct bsp_colour colour_encode(const float rgb[3])
{
    const double brightest = 255 * power_of_two(EXPONENT_MAX);
    double part[3], most = 0;
    for (int k = 0; k < 3; k++) {
        part[k] = rgb[k] > 0 ? (double)rgb[k] : 0;
        part[k] = part[k] < brightest ? part[k] : brightest;
        most = part[k] > most ? part[k] : most;
    }
    if (most == 0)
        return (struct bsp_colour){0, 0, 0, 0};
    int exponent = exponent_above(most) - 8;
    if (most * power_of_two(-exponent) >= 255.5)
        exponent++;
    exponent = exponent < EXPONENT_MIN   ? EXPONENT_MIN
               : exponent > EXPONENT_MAX ? EXPONENT_MAX
                                         : exponent;
    double scale = power_of_two(-exponent);
    uint8_t bytes[3];
    for (int k = 0; k < 3; k++) {
        int rounded = (int)(part[k] * scale + 0.5);
        bytes[k] = (uint8_t)(rounded < 255 ? rounded : 255);
    }
    return (struct bsp_colour){bytes[0], bytes[1], bytes[2], (int8_t)exponent};
}

void colour_decode(struct bsp_colour colour, float rgb[3])
{
    float scale = ldexpf(1, colour.exponent);
    rgb[0] = colour.r * scale;
    rgb[1] = colour.g * scale;
    rgb[2] = colour.b * scale;
}
