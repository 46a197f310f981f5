/* Fills the borders of lightmaps (vrad/luxels/luxel_border.h), and makes faces of one surface agree
 * on the luxels that they share.
 *
 * Filters that read the border show it beside the edges of a face. So it has the light that the
 * surface has there: that of the next face where the surface goes on, which is where the two have a
 * seam (seam_pairs.h); elsewhere what the light of the face itself tends to. Light behind something
 * that stands on the edge has no seam, and does not get in. */
#ifndef VRAD_ENCODE_BORDER_H
#define VRAD_ENCODE_BORDER_H

#include "common/env.h"
#include "vrad/encode/seam_pairs.h"

/* Returns true if a face has a border. */
bool borders_any(const struct luxel_map *map);

/* A luxel over an edge holds the light of a part of its square in each lightmap. Where both
 * lightmaps with a border have their luxels in the same places, it gets the light of all of its
 * square (in map->faces[].direct) in either, weighted by area. */
void borders_share(const struct seam_list *list, struct luxel_map *map);

/* Gives each face with a border its light (map->faces[].border_light), in all styles and slots. */
void borders_fill(const struct env *env, const struct seam_list *list, struct luxel_map *map);

#endif
