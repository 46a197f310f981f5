/* Lighting of a prop's texels. */
#ifndef VRAD_PROPS_TEXEL_LIGHT_H
#define VRAD_PROPS_TEXEL_LIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vrad/ambient/irradiance_point.h"
#include "vrad/props/texel_surface.h"

/* Smoothing and dilation of a prop's texel lighting. */

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

/* Bilateral filter of indirect light, which changes slowly: each lit texel becomes a weighted mean
 * of those up to `radius` texels away (0: none). Images wrap. */
void texel_smooth(int threads, int width, int height, int radius, struct lit_texel *texels);

/* Dilates light into texels that are not lit, ring by ring, so that texture filtering meets no
 * black: first covered texels from neighbours on the same surface, then all. The total light is in
 * `direct`, for lit texels too; zero where nothing is lit. Images wrap. */
void texel_dilate(int width, int height, struct lit_texel *texels);

/* Finds another point of a texel, `at` being 0 .. 1 over it; false when it is not finite. */
typedef bool texel_placer(const void *context, size_t index, const double at[2],
                          struct texel_place *out);

struct texel_lighting {
    const struct env *env;
    const struct irradiance_sampler *sampler;
    const struct bsp *bsp;
    size_t prop;
    bool no_self_shadow; /* the prop casts no shadows on itself */
    int width, height;
    struct lit_texel
        *texels;         /* width * height; those to light are TEXEL_COVERED and have a position */
    texel_placer *place; /* for supersampling at shadow edges; NULL: one sample per texel */
    const void *placer;  /* context of `place` */
};

/* Lights texels that have a position: they become TEXEL_LIT, except for those that a solid covers.
 * Indirect light is smoothed. In large images it is gathered on a grid of every second or fourth
 * texel, and elsewhere where the grid does not allow interpolation. Returns the number of texels
 * with a position. */
size_t texel_light(const struct texel_lighting *lighting);

#endif
