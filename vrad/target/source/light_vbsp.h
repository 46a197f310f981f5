/* Inside the light of a VBSP: what its steps take from each other. */
#ifndef VRAD_SOURCE_LIGHT_VBSP_H
#define VRAD_SOURCE_LIGHT_VBSP_H

#include "common/core/bytes.h"
#include "vrad/lights/light.h"
#include "vrad/luxels/luxel.h"
#include "vrad/scene/prop_set.h"
#include "vrad/target/target.h"

/* --- worldlights.c: the lump that hands the lights on to the engine --- */

/* One record per light, in order (an stb_ds array, the caller's). Intensities are on the scale of
 * 1; suns stand where their entity stands. */
struct bsp_worldlight *worldlights_make(const struct light_set *set);

/* Sets the leaves' sky flags again, as is done in maps that have a light_environment: a leaf has
 * one when its cluster sees a leaf with faces of that sky. */
void worldlights_mark_sky_leaves(struct bsp *bsp);

/* Marks the texinfo of the faces that give light (SURFACE_LIGHT). */
void worldlights_mark_emissive(struct bsp *bsp, const struct light_set *set);

/* --- changed.c: which faces a change of the lights concerns --- */

/* Marks, one byte per face on the heap, the faces that lights may reach which are in `lights` and
 * not among the records `before` (an stb_ds array), or the other way around: by visibility and
 * distance, and that it may add a hundredth to: `faces` and `lighting` hold what they have.
 * Another sun or sky concerns all faces. What changes by bounces alone is not marked. */
unsigned char *changed_faces(const struct luxel_map *map, const struct light_set *lights,
                             const struct bsp_worldlight *before, const struct bsp_face *faces,
                             const struct bytes *lighting);

/* --- unsupported.c: what is asked for and not made; it is said, so that nobody looks for it --- */

/* Notes static props that want light per texel when props get no light (PROP_TEXELS), at the place
 * of the first, and faces with a macro texture (MACRO_TEXTURE); docs/formats/vbsp.md says what is
 * not known of these. */
void unsupported_report(const struct env *env, const struct bsp *bsp, const struct prop_set *props,
                        const struct prop_options *options);

#endif
