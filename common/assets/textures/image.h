/* Decodes the images of Quake 3: TGA, JPEG, PNG, BMP. */
#ifndef ASSETS_TEXTURES_IMAGE_H
#define ASSETS_TEXTURES_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/geom/vec.h"

/* Reads the size from the header of the file, without its pixels. Returns false for other files,
 * and when a side is above 16384 or there are more pixels than the bytes could hold. */
bool image_size(const void *data, size_t size, int *width, int *height);

/* Decodes to 8-bit RGBA, top row first; from memory_alloc, owned by the caller. Pixels missing from
 * a truncated file are black. NULL when it cannot be decoded. */
uint8_t *image_decode(const void *data, size_t size, int *width, int *height);

/* Returns the mean of the bytes over 255, each pixel weighted by its alpha; unweighted when all are
 * fully transparent. Quake 3 computes light in these values, without gamma. */
struct vec3 image_average(const uint8_t *pixels, int width, int height);

#endif
