/* Internal to common/assets: pixel formats of VTF. */
#ifndef ASSETS_TEXTURES_VTF_PIXELS_H
#define ASSETS_TEXTURES_VTF_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* --- half-precision floats (IEEE 754 binary16), as the texels of HDR textures are --- */

enum { HALF_BIAS = 15, HALF_LARGEST = 0x7bff /* 65504 */ };

/* Bits of a fraction that are dropped are rounded to the nearest, of two to the even one. */
static inline uint32_t half_rounded(uint32_t fraction, int dropped)
{
    uint32_t kept = fraction >> dropped, rest = fraction & ((1u << dropped) - 1);
    uint32_t middle = 1u << (dropped - 1);
    return kept + (rest > middle || (rest == middle && kept & 1));
}

/* Returns the nearest half-precision number. Larger ones than 65504 become that, and what is not a
 * number 0: engines show neither. */
static inline uint16_t half_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, fraction = bits & 0x7fffff;
    int exponent = (int)(bits >> 23 & 255) - 127 + HALF_BIAS;
    if ((bits & 0x7fffffff) > 0x7f800000)
        return 0;
    if (exponent < -10)
        return (uint16_t)sign;
    if (exponent <= 0) /* a subnormal number */
        return (uint16_t)(sign | half_rounded(fraction | 0x800000, 14 - exponent));
    if (exponent > 30)
        return (uint16_t)(sign | HALF_LARGEST);
    uint32_t half = ((uint32_t)exponent << 10) + half_rounded(fraction, 13);
    return (uint16_t)(sign | (half > HALF_LARGEST ? HALF_LARGEST : half));
}

static inline float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31;
    uint32_t fraction = half & 1023, bits;
    float value;
    if (exponent == 0) {
        value = (float)fraction / (float)(1 << 24);
        return sign ? -value : value;
    }
    bits =
        sign | (exponent == 31 ? 0x7f800000 : (exponent + 127 - HALF_BIAS) << 23) | fraction << 13;
    memcpy(&value, &bits, sizeof value);
    return value;
}

enum vtf_format {
    VTF_RGBA8888 = 0,
    VTF_ABGR8888 = 1,
    VTF_RGB888 = 2,
    VTF_BGR888 = 3,
    VTF_RGB565 = 4,
    VTF_I8 = 5,
    VTF_IA88 = 6,
    VTF_A8 = 8,
    VTF_RGB888_BLUESCREEN = 9,
    VTF_BGR888_BLUESCREEN = 10,
    VTF_ARGB8888 = 11,
    VTF_BGRA8888 = 12,
    VTF_DXT1 = 13,
    VTF_DXT3 = 14,
    VTF_DXT5 = 15,
    VTF_BGRX8888 = 16,
    VTF_BGR565 = 17,
    VTF_BGRX5551 = 18,
    VTF_BGRA4444 = 19,
    VTF_DXT1_ONEBITALPHA = 20,
    VTF_BGRA5551 = 21,
    VTF_RGBA16F = 24, /* RGBA16161616F, linear light */
};

/* Size of a picture in bytes; 0 when the format is not decoded. */
uint64_t vtf_picture_size(int format, int width, int height);

/* Returns true for a format of light, which may be beyond white. */
bool vtf_format_is_light(int format);

/* Decodes vtf_picture_size bytes of `data` to 4 * width * height bytes of `rgba`; light as the
 * bytes that show it, at most white. */
void vtf_decode_picture(int format, const unsigned char *data, int width, int height,
                        uint8_t *rgba);

/* Decodes light to 4 * width * height numbers, 1 is white. */
void vtf_decode_light(int format, const unsigned char *data, int width, int height, float *rgba);

#endif
