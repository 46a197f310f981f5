/* Internal to the lighting of a VBSP. */
#ifndef VRAD_SOURCE_LIGHT_VBSP_H
#define VRAD_SOURCE_LIGHT_VBSP_H

#include "common/core/bytes.h"
#include "vrad/luxels/luxel.h"
#include "vrad/scene/prop_set.h"
#include "vrad/target/target.h"

struct bsp_worldlight;
struct light_set;

/* --- worldlights.c: the lump with the lights for the engine --- */

/* One record per light, in order (an stb_ds array, owned by the caller). Intensities are on the
 * scale of 1; suns have their entity's origin. */
struct bsp_worldlight *worldlights_make(const struct light_set *set);

/* Recomputes the leaves' sky flags, as in maps with a light_environment: a leaf has one when its
 * cluster sees a leaf with faces of that sky. */
void worldlights_mark_sky_leaves(struct bsp *bsp);

/* Sets SURFACE_LIGHT on the texinfo of emissive faces. */
void worldlights_mark_emissive(struct bsp *bsp, const struct light_set *set);

/* --- unsupported.c: reports features that are not supported --- */

/* Notes static props with texel lighting when props are not lit (PROP_TEXELS), at the first one's
 * origin, and faces with a macro texture (MACRO_TEXTURE); see docs/formats/vbsp.md. */
void unsupported_report(const struct env *env, const struct bsp *bsp, const struct prop_set *props,
                        const struct prop_options *options);

/* Warns, once per run, when bounces are computed without visibility, as in a leaked map
 * (LIGHT_NO_VIS): Valve's vrad has none there. */
void no_visibility_report(const struct env *env, const struct vrad_options *options,
                          const struct bsp *bsp);

/* Warns, once per run, when there are lights but no face has a lightmap (NO_LUXELS). */
void no_luxels_report(const struct env *env, const struct bsp *bsp, const struct luxel_map *map,
                      const struct light_set *lights);

/* Warns, once per run, when there are lights and luxels, and all of these are black (NO_LIGHTS). */
void no_light_report(const struct env *env, const struct luxel_map *map,
                     const struct light_set *lights);

#endif
