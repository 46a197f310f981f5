/* The shaders that an MD3 model names. */
#ifndef ASSETS_MODELS_MD3_SHADERS_H
#define ASSETS_MODELS_MD3_SHADERS_H

#include "common/core/arena.h"
#include "common/core/bytes.h"

/* As they are spelt, one each time that they are named: an stb_ds array of texts in the arena; NULL
 * for what is no MD3. Of a damaged model those that lie in the file. (Layout: 108 bytes of header,
 * whose surfaces are chained; each has records of a name of 64 bytes and a number.) */
const char **md3_shaders(const struct bytes *model, struct arena *arena);

#endif
