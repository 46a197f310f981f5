/* Internal to common/assets: pixel formats of VTF. */
#ifndef ASSETS_TEXTURES_VTF_PIXELS_H
#define ASSETS_TEXTURES_VTF_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
