/* Smoothing and dilation of a prop's texel lighting. */
#ifndef VRAD_PROPS_TEXEL_DILATION_H
#define VRAD_PROPS_TEXEL_DILATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum texel_state {
    TEXEL_EMPTY,   /* outside of all triangles */
    TEXEL_COVERED, /* covered by a solid of the map */
    TEXEL_LIT,
    TEXEL_STATES
};

struct lit_texel {
    float position[3], normal[3]; /* in the map; normal 0: lit from all directions */
    float width;                  /* of a texel there, in units */
    float direct[3], indirect[3]; /* light; 255 is white */
    uint8_t state;                /* enum texel_state */
    bool aside;                   /* lit from a moved position, outside of a solid */
};

/* Bilateral weight: 1 for texels with the same position and normal, less for others; 0 from a
 * distance in the map of radius + 1 texels, or at a right angle. */
float texel_bilateral_weight(const struct lit_texel *a, const struct lit_texel *b, int radius);

/* Bilateral filter of indirect light, which changes slowly: each lit texel becomes a weighted mean
 * of those up to `radius` texels away (0: none). Images wrap. */
void texel_smooth(int threads, int width, int height, int radius, struct lit_texel *texels);

/* Dilates light into texels that are not lit, ring by ring, so that texture filtering meets no
 * black: first covered texels from neighbours on the same surface, then all. The total light is in
 * `direct`, for lit texels too; zero where nothing is lit. Images wrap. */
void texel_dilate(int width, int height, struct lit_texel *texels);

#endif
