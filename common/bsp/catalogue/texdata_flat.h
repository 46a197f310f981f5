/* What a compiled map tells of blends of two textures: its copies of them for flat sides
 * (maps/NAME/MATERIAL_wvt_patch) are whole materials and lie in its pakfile. */
#ifndef BSP_CATALOGUE_TEXDATA_FLAT_H
#define BSP_CATALOGUE_TEXDATA_FLAT_H

#include "common/bsp/lumps/pakfile.h"
#include "common/core/arena.h"

#define TEXDATA_FLAT_ENDING "_wvt_patch"

/* The texture of such a copy, in the arena; NULL when `name`, a material without a cubemap's place
 * behind it, is none or its file tells nothing. */
const char *texdata_flat_texture(struct arena *arena, const struct pakfile *pakfile,
                                 const char *name);

#endif
