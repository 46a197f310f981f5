/* Materials that are made for one map: copies of its own, changed where the engine needs something
 * of this map in them, and packed into the BSP below materials/maps/MAP/. */
#ifndef VBSP_SOURCE_MATERIALS_MATERIAL_PATCH_H
#define VBSP_SOURCE_MATERIALS_MATERIAL_PATCH_H

#include "vbsp/context.h"

/* One that was made for this map, or that of the assets. */
const struct material *material_patch_find(struct compile *compile, const char *name);

/* Whether it, or a material that it names for another state of itself ($bottommaterial,
 * $crackmaterial, $fallbackmaterial), mirrors the room: $envmap is env_cubemap. */
bool material_patch_reflects(struct compile *compile, const struct material *material);

/* Such a material with the picture of one cubemap: MAP/MATERIAL_x_y_z, a `patch` that replaces
 * $envmap by maps/MAP/cx_y_z and names patched dependents. The same for the same two. Reports
 * (MATERIAL_NAME_LONG) and returns the material itself when the new name does not fit. */
const struct material *material_patch_cubemap(struct compile *compile,
                                              const struct material *material,
                                              const int32_t origin[3]);

/* What a flat side shows of a blend of two textures: MAP/MATERIAL_wvt_patch, the first of them.
 * Any other material, or one of which neither a VMT nor a catalogue tells the texture, is returned
 * itself; one of a catalogue whose name says that it is a blend is told (BLEND_UNKNOWN). */
const struct material *material_patch_flat(struct compile *compile,
                                           const struct material *material);

/* What a copy was made of at first; any other material itself. */
const struct material *material_patch_base(struct compile *compile,
                                           const struct material *material);

void material_patches_free(struct compile *compile);

#endif
