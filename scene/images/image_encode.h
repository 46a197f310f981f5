/* Pictures as files: PNG and JPEG. */
#ifndef SCENE_IMAGES_IMAGE_ENCODE_H
#define SCENE_IMAGES_IMAGE_ENCODE_H

#include "common/core/bytes.h"

/* Appends a picture of channels * width * height bytes, rows from the top: red, green, blue (3
 * channels), and alpha (4). */
void png_encode(const unsigned char *pixels, int channels, int width, int height,
                struct bytes *out);

/* The same in much less time, and a little larger. */
void png_encode_quick(const unsigned char *pixels, int channels, int width, int height,
                      struct bytes *out);

/* Appends a picture of 3 * width * height bytes, rows from the top; quality 1 .. 100. */
void jpeg_encode(const unsigned char *rgb, int width, int height, int quality, struct bytes *out);

#endif
