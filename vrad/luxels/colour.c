#include "vrad/luxels/colour.h"

#include <math.h>
#include <string.h>

enum { EXPONENT_MIN = -128, EXPONENT_MAX = 127, DOUBLE_BIAS = 1023, DOUBLE_FRACTION = 52 };
enum { FLOAT_BIAS = 127, FLOAT_FRACTION = 23 };

/* Light between these is encoded in single precision, where scaling by powers of two is exact. */
#define PLAIN_MIN 1e-20f
#define PLAIN_MAX 1e20f

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

/* Of any light. */
static struct bsp_colour encode_carefully(const float rgb[3])
{
    const double brightest = 255 * power_of_two(EXPONENT_MAX);
    double part[3], max = 0;
    for (int k = 0; k < 3; k++) {
        part[k] = rgb[k] > 0 ? (double)rgb[k] : 0;
        part[k] = part[k] < brightest ? part[k] : brightest;
        max = part[k] > max ? part[k] : max;
    }
    if (max == 0)
        return (struct bsp_colour){0, 0, 0, 0};
    int exponent = exponent_above(max) - 8;
    if (max * power_of_two(-exponent) >= 255.5)
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

struct bsp_colour colour_encode(const float rgb[3])
{
    float max = rgb[0] > rgb[1] ? rgb[0] : rgb[1], scale;
    uint32_t bits;
    max = max > rgb[2] ? max : rgb[2];
    if (!(max > PLAIN_MIN && max < PLAIN_MAX && rgb[0] >= 0 && rgb[1] >= 0 && rgb[2] >= 0))
        return encode_carefully(rgb);
    memcpy(&bits, &max, sizeof bits);
    int exponent = (int)(bits >> FLOAT_FRACTION) - FLOAT_BIAS - 7;
    bits = (uint32_t)(FLOAT_BIAS - exponent) << FLOAT_FRACTION;
    memcpy(&scale, &bits, sizeof scale);
    if (max * scale >= 255.5f) {
        exponent++;
        scale /= 2;
    }
    uint8_t bytes[3];
    for (int k = 0; k < 3; k++)
        bytes[k] = (uint8_t)((double)(rgb[k] * scale) + 0.5);
    return (struct bsp_colour){bytes[0], bytes[1], bytes[2], (int8_t)exponent};
}

void colour_decode(struct bsp_colour colour, float rgb[3])
{
    float scale = ldexpf(1, colour.exponent);
    rgb[0] = colour.r * scale;
    rgb[1] = colour.g * scale;
    rgb[2] = colour.b * scale;
}
