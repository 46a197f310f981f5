/* The light of an image of texels: noise taken off, and what has none filled from around it. */
#ifndef VRAD_PROPS_TEXEL_DILATION_H
#define VRAD_PROPS_TEXEL_DILATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum texel_state {
    TEXEL_EMPTY,   /* no triangle reaches into it */
    TEXEL_COVERED, /* a solid of the map covers it */
    TEXEL_LIT
};

struct lit_texel {
    float position[3], normal[3]; /* in the map; normal 0: it looks all around */
    float width;                  /* of a texel there, in units */
    float direct[3], indirect[3]; /* light; 255 is white */
    uint8_t state;                /* enum texel_state */
    bool aside;                   /* lit from a step aside, out of a solid */
};

/* 1 for texels at one place that look the same way, less for others; 0 from a distance in the map
 * that is a texel more than the radius, or from a right angle between them. */
float texel_bilateral_weight(const struct lit_texel *a, const struct lit_texel *b, int radius);

/* Light from around changes slowly: that of each lit texel becomes a mean with those up to `radius`
 * texels away (0: none) which lie near it in the map and look its way. Images wrap. */
void texel_smooth(int threads, int width, int height, int radius, struct lit_texel *texels);

/* Gives each texel that is not lit the light of those around it, ring by ring, so that whatever
 * filters the image meets no black: first covered ones from neighbours on the same surface, then
 * all. Its sum is in `direct`, for lit ones too; zero where nothing is lit. Images wrap. */
void texel_dilate(int width, int height, struct lit_texel *texels);

#endif
