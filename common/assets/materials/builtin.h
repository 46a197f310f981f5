/* The materials that every mapper uses, known without a game: tools/ and the measuring textures
 * of dev/. */
#ifndef ASSETS_MATERIALS_BUILTIN_H
#define ASSETS_MATERIALS_BUILTIN_H

#include "common/assets/assets.h"

/* By a name as asset_material_name has it; NULL when it is not among them. */
const struct material *builtin_material(const char *clean_name);

#endif
