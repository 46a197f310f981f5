/* Compresses blocks of 4 x 4 pixels: BC1 (DXT1) and BC3 (DXT5).
 *
 * The colours of a block lie on a line between two end points of 5, 6 and 5 bits. The pixels are
 * put in order along the principal axis of their colours; of all ways to cut this order into the
 * colours of the line, the end points with the least squared error are taken (S. Brown's cluster
 * fit), and then moved by single steps while that makes the error of the decoded pixels smaller. */
#ifndef ASSETS_TEXTURES_BC_ENCODE_H
#define ASSETS_TEXTURES_BC_ENCODE_H

#include <stdbool.h>
#include <stdint.h>

enum { BC_PIXELS = 16, BC1_BYTES = 8, BC3_BYTES = 16 };

/* Pixels row by row from the top left. With `cut_out` those with alpha below 128 become transparent
 * black, else alpha does not matter and all are opaque. */
void bc1_encode(const uint8_t pixels[BC_PIXELS][4], bool cut_out, unsigned char out[BC1_BYTES]);

void bc3_encode(const uint8_t pixels[BC_PIXELS][4], unsigned char out[BC3_BYTES]);

#endif
