/* Lighting of a prop's texels. */
#ifndef VRAD_PROPS_TEXEL_LIGHT_H
#define VRAD_PROPS_TEXEL_LIGHT_H

#include "vrad/ambient/irradiance_point.h"
#include "vrad/props/texel_dilation.h"
#include "vrad/props/texel_surface.h"

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

/* A loop over the texels of a list, in chunks: calls `item` for each of them. */
typedef void texel_item(const void *context, size_t first, size_t end);
void texel_loop(const struct texel_lighting *lighting, const size_t *list, texel_item *item,
                const void *context);

/* The step before smoothing: texels whose direct light differs visibly from a neighbour's on the
 * same surface are supersampled at 3 x 3 points. */
void texel_supersample(const struct texel_lighting *lighting);

#endif
