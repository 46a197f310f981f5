/* Names of game content in the form that look-ups compare: lower case, `/`, no empty or `.`
 * parts. */
#ifndef ASSETS_MOUNTS_ASSET_NAME_H
#define ASSETS_MOUNTS_ASSET_NAME_H

#include <stdbool.h>

#include "common/core/arena.h"

/* Returns the name in that form, in the arena, or NULL when it is empty or would leave its mount (a
 * `..` part, a drive). */
const char *asset_name(struct arena *arena, const char *name);
/* Returns a material's name below materials/, without .vmt; NULL as above. */
const char *asset_material_name(struct arena *arena, const char *name);
/* Returns the file of a texture that a VMT names: "materials/NAME.vtf"; NULL as above. */
const char *asset_texture_file(struct arena *arena, const char *name);
/* Returns true when the text matches the pattern, where * stands for any run of characters and ?
 * for one; without regard to case. */
bool asset_pattern_matches(const char *pattern, const char *text);

#endif
