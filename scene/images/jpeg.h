/* JPEG files. */
#ifndef SCENE_IMAGES_JPEG_H
#define SCENE_IMAGES_JPEG_H

#include "common/core/bytes.h"

/* Appends a picture of 3 * width * height bytes, rows from the top; quality 1 .. 100. */
void jpeg_encode(const unsigned char *rgb, int width, int height, int quality, struct bytes *out);

#endif
