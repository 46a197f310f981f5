/* The block of a map in the scripts for menus of Quake 3. */
#ifndef USAGE_ARENA_BLOCK_H
#define USAGE_ARENA_BLOCK_H

#include "common/assets/assets.h"

/* Finds the first of scripts/NAME.arena, in the order of their names, with a block whose `map` is
 * the map, and appends the block to *out. Returns its name, in the arena, with its mount; NULL when
 * there is none. */
const char *arena_block_find(const struct assets *assets, const char *map, struct arena *arena,
                             struct bytes *out, size_t *mount);

#endif
