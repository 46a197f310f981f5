/* Internal: names of shaders as text. */
#ifndef BSP_EXPORT_SHADER_NAMES_H
#define BSP_EXPORT_SHADER_NAMES_H

#include "common/bsp/bsp.h"
#include "common/core/arena.h"

/* Returns the names of all shaders, in the arena. `_` stands for blanks, control characters and
 * quotes, which would end a name in a text file, and / for a backslash. */
const char *const *shader_names(const struct bsp *bsp, struct arena *arena);

#endif
