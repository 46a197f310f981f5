/* Writes images as TGA, uncompressed, the bottom row first: the engine supports no other order. */
#ifndef ASSETS_TEXTURES_TGA_H
#define ASSETS_TEXTURES_TGA_H

#include "common/core/bytes.h"

/* Bytes per pixel: grey; red, green, blue; the same and alpha. */
enum tga_pixels { TGA_GREY = 1, TGA_RGB = 3, TGA_RGBA = 4 };

/* Appends an image of at most 65535 pixels a side; its pixels are in rows from the top. */
void tga_encode(const unsigned char *pixels, int width, int height, enum tga_pixels kind,
                struct bytes *out);

#endif
