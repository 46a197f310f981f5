/* Light that a map asks for and that is not made: it is said, so that nobody looks for it. */
#ifndef VRAD_UNMADE_H
#define VRAD_UNMADE_H

#include "common/bsp/bsp.h"
#include "common/core/env.h"
#include "vrad/prop_set.h"

/* Notes static props that want light per texel (PROP_TEXELS), at the place of the first, and faces
 * with a macro texture (MACRO_TEXTURE). docs/formats/props.md and vbsp.md say what is not known of
 * the two. */
void unmade_report(const struct env *env, const struct bsp *bsp, const struct prop_set *props);

#endif
