/* Splits luxels of a map into subluxels, and lights these directly. */
#ifndef VRAD_SUBLUXELS_SUBLUXELS_MAKE_H
#define VRAD_SUBLUXELS_SUBLUXELS_MAKE_H

#include "vrad/luxels/luxel.h"

struct light_set;

/* Makes map->subluxels from the direct light of the map, which they reflect; none where no luxel is
 * split. With `bounced` those that a checkpoint had keep their radiosity, which has the light of
 * all bounces. All ranks make the same. */
void subluxels_make(const struct env *env, const struct light_set *lights, bool bounced,
                    struct luxel_map *map);

#endif
