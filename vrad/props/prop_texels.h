/* The light of static props, texel by texel in the texture coordinates of their models, into the
 * pakfile: texelslighting_N.ppl. */
#ifndef VRAD_PROPS_PROP_TEXELS_H
#define VRAD_PROPS_PROP_TEXELS_H

#include "vrad/ambient/irradiance_point.h"
#include "vrad/scene/prop_set.h"
#include "vrad/vrad.h"

/* Whether a prop asks for it: it has a resolution, and not the flag that takes it back. */
bool prop_texels_wanted(const struct static_prop *prop);

/* Makes the file of each prop that asks for one and has a model to lay it on; files of other props
 * are removed. The engine has one name for LDR and HDR: with both sets of light asked for, HDR's
 * takes it, and the call for LDR alone does nothing. Reports models whose triangles share texels
 * (PROP_TEXELS_SHARED), that have no place in an image (PROP_TEXELS_FLAT) or are asked for too
 * large a one (PROP_TEXELS_SIZE). Fails with the pakfile. */
NODISCARD enum status prop_texels_light(const struct env *env, const struct prop_set *set,
                                        const struct irradiance_sampler *sampler,
                                        const struct vrad_options *options, enum light_sides sides,
                                        struct bsp *bsp);

#endif
