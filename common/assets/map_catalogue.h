/* The catalogue in which the author of a map says what materials are: the file of
 * textures/texdata.h, found beside the map. */
#ifndef ASSETS_MAP_CATALOGUE_H
#define ASSETS_MAP_CATALOGUE_H

#include "common/core/arena.h"
#include "common/env.h"

/* Returns the path, in the arena, of MAP.materials.tsv beside the source MAP.vmf, else of
 * materials.tsv in its folder; NULL when neither is a file, and for standard input. */
const char *map_catalogue_find(const struct env *env, struct arena *arena, const char *source);

#endif
