/* Light of the bytes of textures, whose gamma is 2.2, and back. */
#ifndef ASSETS_TEXTURES_LIGHT_BYTES_H
#define ASSETS_TEXTURES_LIGHT_BYTES_H

#include <stdint.h>

struct light_bytes {
    float light[256];  /* of a byte: 0 .. 1 */
    float bounds[256]; /* the least light of a byte; of byte 0 it is 0 */
};

void light_bytes_fill(struct light_bytes *table);

/* Returns the byte of light, of which 1 is white; the nearest for others. */
uint8_t light_bytes_of(const struct light_bytes *table, float light);

/* The same for numbers that are shares, such as alpha: without gamma. */
uint8_t light_bytes_share(float share);

#endif
