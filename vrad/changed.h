/* Which faces a change of the lights concerns. */
#ifndef VRAD_CHANGED_H
#define VRAD_CHANGED_H

#include "common/core/bytes.h"
#include "vrad/lights/light.h"
#include "vrad/luxels/luxel.h"

/* Marks, one byte a face from the heap, the faces that lights may reach which are in `lights` and
 * not among the records `before` (an stb_ds array), or the other way around: by visibility and
 * distance, and that it may add a hundredth to: `faces` and `lighting` hold what they have.
 * Another sun or sky concerns all faces. What changes by bounces alone is not marked. */
unsigned char *changed_faces(const struct luxel_map *map, const struct light_set *lights,
                             const struct bsp_worldlight *before, const struct bsp_face *faces,
                             const struct bytes *lighting);

#endif
