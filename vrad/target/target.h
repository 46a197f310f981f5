/* What differs from engine to engine: where light comes from, what it falls on, and how the file
 * wants it. */
#ifndef VRAD_TARGET_TARGET_H
#define VRAD_TARGET_TARGET_H

#include "vrad/vrad.h"

struct vrad_target {
    /* Replaces all that the bsp says of light. */
    enum status (*light)(const struct env *env, const struct vrad_options *options,
                         struct assets *assets, struct bsp *bsp);
};

extern const struct vrad_target vrad_source, vrad_quake3;

/* By the family of its file. */
const struct vrad_target *vrad_target_of(const struct bsp *bsp);

#endif
