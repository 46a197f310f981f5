/* Decodes PCX images of one byte per pixel, as maps use them for terrain. */
#ifndef ASSETS_TEXTURES_PCX_H
#define ASSETS_TEXTURES_PCX_H

#include <stddef.h>
#include <stdint.h>

/* Returns the bytes of the pixels, which are numbers of colours, without the palette: top row
 * first; from memory_alloc, owned by the caller. NULL for other files, for those that are cut
 * short, and when a side is above 16384. (Layout as ZSoft's manual has it.) */
uint8_t *pcx_decode(const void *data, size_t size, int *width, int *height);

#endif
