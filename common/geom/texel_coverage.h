/* Which texels of a picture a triangle in it is drawn with. */
#ifndef GEOM_TEXEL_COVERAGE_H
#define GEOM_TEXEL_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of a rectangle: words a row, 64 bits a word, lowest first. */
static inline int texel_words(int width)
{
    return (width + 63) / 64;
}

static inline bool texel_is_set(const uint64_t *bits, int width, int s, int t)
{
    return bits[(int64_t)t * texel_words(width) + s / 64] >> (s % 64) & 1;
}

/* Sets the bits of the texels that filtering between neighbours takes for the triangle: the corners
 * of each square between texels that it reaches into by more than a thousandth. Corners are in
 * texels, of which number i has its middle at i; bits has height * texel_words(width) words. What
 * lies outside of the rectangle is left out. */
void texel_coverage(const double corners[3][2], int width, int height, uint64_t *bits);

#endif
