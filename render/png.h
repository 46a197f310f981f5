/* PNG files. */
#ifndef RENDER_PNG_H
#define RENDER_PNG_H

#include "common/core/bytes.h"

/* Appends a picture of 3 * width * height bytes: red, green, blue, rows from the top. */
void png_encode(const unsigned char *rgb, int width, int height, struct bytes *out);

#endif
