/* Names of game content as look-ups compare them: lower case, `/`, no empty or `.` parts. */
#ifndef ASSETS_MOUNTS_ASSET_NAME_H
#define ASSETS_MOUNTS_ASSET_NAME_H

#include <stdbool.h>

#include "common/core/arena.h"

/* NULL when it would leave its mount (a `..` part, a drive) or is empty. In the arena. */
const char *asset_name(struct arena *arena, const char *name);
/* A material's name below materials/, without .vmt; NULL as above. */
const char *asset_material_name(struct arena *arena, const char *name);
/* The file of a texture as a VMT names it: "materials/NAME.vtf"; NULL as above. */
const char *asset_texture_file(struct arena *arena, const char *name);
/* Whether the text is what the pattern says, where * stands for any run of characters and ? for
 * one; without regard to case. */
bool asset_pattern_matches(const char *pattern, const char *text);

#endif
