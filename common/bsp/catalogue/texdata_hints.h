/* Properties of materials that a compiled map reveals outside of its texdata. */
#ifndef BSP_CATALOGUE_TEXDATA_HINTS_H
#define BSP_CATALOGUE_TEXDATA_HINTS_H

#include "common/bsp/bsp.h"
#include "common/bsp/lumps/pakfile.h"
#include "common/core/arena.h"

/* Returns the surface property of each texdata, one per texdata in the arena, or NULL where
 * unknown. The triangles of the world's collision hulls name a surface property and lie on brush
 * sides: the most frequent one of a texdata's sides is taken. Invalid collision data is ignored. */
const char **texdata_surfaceprops(struct arena *arena, const struct bsp *bsp);

/* Two-texture blends: their copies for flat sides (maps/NAME/MATERIAL_wvt_patch) are complete
 * materials in the pakfile. */
#define TEXDATA_WVT_PATCH_SUFFIX "_wvt_patch"

/* Returns the texture of such a copy, in the arena. `name` is a material without the position of a
 * cubemap at its end. NULL when it is not such a copy or its file is invalid. */
const char *texdata_wvt_patch_texture(struct arena *arena, const struct pakfile *pakfile,
                                      const char *name);

#endif
