/* The light of a prop's texels. */
#ifndef VRAD_PROPS_TEXEL_LIGHT_H
#define VRAD_PROPS_TEXEL_LIGHT_H

#include "vrad/ambient/irradiance_point.h"
#include "vrad/props/texel_dilation.h"
#include "vrad/props/texel_surface.h"

/* Where another point of a texel is, `at` being 0 .. 1 over it; false when that is no number. */
typedef bool texel_placer(const void *context, size_t index, const double at[2],
                          struct texel_place *out);

struct texel_lighting {
    const struct irradiance_sampler *sampler;
    const struct bsp *bsp;
    int threads;
    size_t prop;
    bool no_self_shadow; /* the prop casts none on itself */
    int width, height;
    struct lit_texel *texels; /* width * height; those that are TEXEL_COVERED have a place */
    texel_placer *place;      /* for more samples at the edges of shadows; NULL: one per texel */
    const void *placer;       /* its context */
};

/* Lights texels that have a place: they become TEXEL_LIT, but for those that a solid covers. What
 * comes from around is evened. In images of many texels it is gathered at every second or fourth
 * one of a row and a column alone, and at more where these do not agree or do not lie near.
 * Returns how many have a place. */
size_t texel_light(const struct texel_lighting *lighting);

/* Its last step but the evening: direct light of lit texels that differs to the eye from that of a
 * neighbour on the same surface becomes the mean of 3 x 3 points. */
void texel_supersample(const struct texel_lighting *lighting);

#endif
