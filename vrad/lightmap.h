/* The lighting lump, from the light of the luxels. */
#ifndef VRAD_LIGHTMAP_H
#define VRAD_LIGHTMAP_H

#include "common/core/env.h"
#include "vrad/luxel.h"

/* Writes the lighting of all faces into *lighting, and styles and light offsets into `faces` (one
 * for each face of the map).
 *
 * For each lit face in order: the typical colour of each style, the last style first; then, at the
 * face's offset, for each style the flat map and on bumped faces the three bump maps. The typical
 * colour is the median of each channel. Hidden luxels take the light of their neighbours.
 * Fails, with nothing written, when the lump would pass the range of an offset. */
NODISCARD enum status lightmap_write(const struct env *env, const struct luxel_map *map,
                                     struct bsp_face *faces, struct bytes *lighting);

#endif
