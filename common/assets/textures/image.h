/* Images of Quake 3: TGA, JPEG, PNG. */
#ifndef ASSETS_TEXTURES_IMAGE_H
#define ASSETS_TEXTURES_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/geom/vec.h"

/* Sizes from the head of the file, without its pixels. False for what is no such image, or has a
 * side above 16384 or more pixels than its bytes can stand for. */
bool image_size(const void *data, size_t size, int *width, int *height);

/* 8-bit RGBA, row after row from the top; from memory_alloc, the caller's. What is missing of a
 * file that is cut short is black. NULL when it cannot be decoded. */
uint8_t *image_decode(const void *data, size_t size, int *width, int *height);

/* The plain mean of the bytes over 255, each pixel weighed by its alpha; where all are clear, by
 * nothing. Light of Quake 3 is reckoned in these values, without a curve. */
struct vec3 image_average(const uint8_t *pixels, int width, int height);

#endif
