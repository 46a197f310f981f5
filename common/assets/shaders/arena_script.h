/* What menus of Quake 3 know of maps: files scripts/NAME.arena, a block in braces a map. */
#ifndef ASSETS_SHADERS_ARENA_SCRIPT_H
#define ASSETS_SHADERS_ARENA_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

/* The block whose `map` is that one, without regard to case; from its brace to the one that closes
 * it, in the text. False when there is none. */
bool arena_script_block(const char *text, size_t size, const char *map, const char **block,
                        size_t *length);

#endif
