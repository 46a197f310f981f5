/* Light that a map asks for and that is not made: it is said, so that nobody looks for it. */
#ifndef VRAD_SOURCE_UNMADE_H
#define VRAD_SOURCE_UNMADE_H

#include "common/bsp/bsp.h"
#include "common/env.h"
#include "vrad/scene/prop_set.h"
#include "vrad/vrad.h"

/* Notes static props that want light per texel when props get no light (PROP_TEXELS), at the place
 * of the first, and faces with a macro texture (MACRO_TEXTURE); docs/formats/vbsp.md says what is
 * not known of these. */
void unmade_report(const struct env *env, const struct bsp *bsp, const struct prop_set *props,
                   const struct prop_options *options);

#endif
