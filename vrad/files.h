/* The side files of vrad. */
#ifndef VRAD_FILES_H
#define VRAD_FILES_H

#include "common/core/arena.h"
#include "common/core/env.h"

/* MAP.rad beside the map at `path`, a BSP or its source by `extension` (".bsp"), or NULL when there
 * is none. In the arena. */
const char *vrad_map_rad(const struct env *env, struct arena *arena, const char *path,
                         const char *extension);

#endif
