/* Internal to common/assets/textures: pixels of VTF from bytes and light. */
#ifndef ASSETS_TEXTURES_VTF_ENCODE_H
#define ASSETS_TEXTURES_VTF_ENCODE_H

#include "common/assets/textures/vtf_pixels.h"

/* Writes a picture of bytes to vtf_picture_size bytes; the pixels of a block beyond its borders are
 * those at the borders. */
void vtf_encode_picture(enum vtf_format format, const uint8_t *rgba, int width, int height,
                        int threads, unsigned char *out);

/* The same of light, for a format that holds it (vtf_format_is_light). */
void vtf_encode_light(const float *rgba, int width, int height, unsigned char *out);

#endif
