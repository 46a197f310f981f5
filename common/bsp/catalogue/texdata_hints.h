/* What a compiled map tells of materials beside its texdata. */
#ifndef BSP_CATALOGUE_TEXDATA_HINTS_H
#define BSP_CATALOGUE_TEXDATA_HINTS_H

#include "common/bsp/bsp.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/core/arena.h"

/* Surface properties: the triangles of the world's collision hulls name theirs, and lie on sides of
 * brushes. The commonest property of the triangles on each texdata, in the arena, or NULL; an array
 * in the arena, one a texdata. Damaged collision tells nothing. */
const char **texdata_surfaceprops(struct arena *arena, const struct bsp *bsp);

/* Blends of two textures: copies of them for flat sides (maps/NAME/MATERIAL_wvt_patch) are whole
 * materials and lie in the pakfile. */
#define TEXDATA_WVT_PATCH_SUFFIX "_wvt_patch"

/* The texture of such a copy, in the arena; NULL when `name`, a material without a cubemap's place
 * behind it, is none or its file tells nothing. */
const char *texdata_wvt_patch_texture(struct arena *arena, const struct pakfile *pakfile,
                                      const char *name);

#endif
