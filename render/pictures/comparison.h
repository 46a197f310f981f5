/* Two pictures side by side, and how they differ. */
#ifndef RENDER_PICTURES_COMPARISON_H
#define RENDER_PICTURES_COMPARISON_H

#include "scene/images/canvas.h"

struct comparison {
    bool is_equal;
    double psnr;    /* of all channels, in dB; if not equal */
    double changed; /* part of the pixels, 0 .. 1 */
    int max;        /* the largest difference of a channel */
};

/* Of pixels of three bytes each. */
struct comparison comparison_of(const unsigned char *a, const unsigned char *b, size_t pixels);

/* Draws A, B and their difference, from left to right: black where they are equal, and yellow from
 * a quarter of white on. Free the pixels by memory_free. */
struct canvas comparison_draw(const unsigned char *a, const unsigned char *b, int width, int height,
                              const struct comparison *comparison);

/* Draws B dark and grey, and over it where B is brighter than A, in yellow, and where it is darker,
 * in blue: at full strength from a quarter of white on. Free the pixels by memory_free. */
struct canvas comparison_change(const unsigned char *a, const unsigned char *b, int width,
                                int height);

#endif
