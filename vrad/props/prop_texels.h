/* Texel lighting of static props, in the texture coordinates of their models, into the pakfile:
 * texelslighting_N.ppl. */
#ifndef VRAD_PROPS_PROP_TEXELS_H
#define VRAD_PROPS_PROP_TEXELS_H

#include "vrad/ambient/irradiance_point.h"
#include "vrad/scene/prop_set.h"
#include "vrad/vrad.h"

/* Returns true if a prop has a lightmap resolution, and texel lighting is not disabled by its
 * flag. */
bool prop_texels_wanted(const struct static_prop *prop);

/* Returns true for the set of lighting whose run stores the files of texels: the engine has one
 * name for LDR and HDR, and with both sets requested it holds HDR. */
bool prop_texels_stored(const struct vrad_options *options, enum light_sides sides);

/* Makes the file of each prop that wants one and has a model; files of other props are removed.
 * Does nothing for a set that does not store them. Reports models whose triangles share texels
 * (PROP_TEXELS_SHARED), that have no area in the image (PROP_TEXELS_FLAT) or want too large an
 * image (PROP_TEXELS_SIZE). Fails with the pakfile. */
NODISCARD enum status prop_texels_light(const struct env *env, const struct prop_set *set,
                                        const struct irradiance_sampler *sampler,
                                        const struct vrad_options *options, enum light_sides sides,
                                        struct bsp *bsp);

#endif
