/* Relighting a part of a map: faces outside of a box keep their light. */
#ifndef VRAD_LUXELS_REGION_H
#define VRAD_LUXELS_REGION_H

#include "common/core/bytes.h"
#include "vrad/luxels/luxel.h"

/* Marks, one byte per face on the heap, the lit faces that reach into the box. */
unsigned char *region_faces(const struct luxel_map *map, const struct bounds *box);

/* The box around all luxels of the marked faces. */
struct bounds region_bounds(const struct luxel_map *map, const unsigned char *relight);

/* The lit faces of `map`, which has no light, that are not marked get the light of `faces` and
 * `lighting` as their direct light, and light the others. They borrow `lighting` until the map is
 * cleared. Reports (LIGHT_REGION) and fails when a face has no light of its size there. */
NODISCARD enum status region_keep(const struct env *env, const unsigned char *relight,
                                  const struct bsp_face *faces, const struct bytes *lighting,
                                  struct luxel_map *map);

#endif
