/* The side files of vrad. */
#ifndef VRAD_FILES_H
#define VRAD_FILES_H

#include "common/core/arena.h"
#include "common/core/env.h"

/* MAP.rad beside the BSP at `path`, or NULL when there is none. In the arena. */
const char *vrad_map_rad(const struct env *env, struct arena *arena, const char *path);

#endif
