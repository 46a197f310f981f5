/* Computes the texels that a textured triangle samples. */
#ifndef GEOM_TEXEL_COVERAGE_H
#define GEOM_TEXEL_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of a rectangle: 64 bits per word, lowest first, texel_words words per row. */
static inline int texel_words(int width)
{
    return (width + 63) / 64;
}

static inline bool texel_is_set(const uint64_t *bits, int width, int s, int t)
{
    return bits[(int64_t)t * texel_words(width) + s / 64] >> (s % 64) & 1;
}

/* Sets the bits of the texels that bilinear filtering samples for the triangle: the corners of each
 * square between texels that it overlaps by more than a thousandth. Corners are in texels, with the
 * centre of texel i at i; bits has height * texel_words(width) words. Texels outside of the
 * rectangle are ignored. */
void texel_coverage(const double corners[3][2], int width, int height, uint64_t *bits);

#endif
