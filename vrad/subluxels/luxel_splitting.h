/* Which luxels are split into subluxels: bright ones whose light differs, of which something near
 * may hide a part. */
#ifndef VRAD_SUBLUXELS_LUXEL_SPLITTING_H
#define VRAD_SUBLUXELS_LUXEL_SPLITTING_H

#include "vrad/luxels/luxel.h"

/* The radiosity of the map's direct light above which luxels may be split; INFINITY: none are. */
double luxel_split_limit(const struct luxel_map *map);

/* True for a luxel that is to be split, in a map with this limit. */
bool luxel_is_to_split(const struct luxel_map *map, const struct face_light *face, int luxel,
                       double limit);

#endif
