/* Materials made for one map: modified copies with data of this map, packed into the BSP below
 * materials/maps/MAP/. */
#ifndef VBSP_SOURCE_MATERIALS_MATERIAL_PATCH_H
#define VBSP_SOURCE_MATERIALS_MATERIAL_PATCH_H

#include "vbsp/context.h"
#include "vbsp/target/source/materials/parallax_box.h"

/* A material made for this map, or that of the assets. */
const struct material *material_patch_find(struct compile *compile, const char *name);

/* True if it, or a material that it refers to ($bottommaterial, $crackmaterial, $fallbackmaterial),
 * reflects cubemaps: $envmap is env_cubemap. */
bool material_patch_reflects(struct compile *compile, const struct material *material);

struct cubemap_place {
    int32_t origin[3];
    struct parallax_box box;
};

/* A reflecting material with the texture of one cubemap: MAP/MATERIAL_x_y_z, a `patch` that
 * replaces $envmap with maps/MAP/cx_y_z and refers to patched dependents. If the cubemap has a box,
 * it inserts that and the cubemap's place: $envmapparallax, $envmapparallaxobb1 to 3 and
 * $envmaporigin. The same result for the same arguments. Reports (MATERIAL_NAME_LONG) and returns
 * the material itself when the new name is too long. */
const struct material *material_patch_cubemap(struct compile *compile,
                                              const struct material *material,
                                              const struct cubemap_place *place);

/* The material for a flat side with two blended textures: MAP/MATERIAL_wvt_patch, the first of
 * them. Returns any other material itself, as well as one whose texture neither a VMT nor a
 * catalogue names; one of a catalogue that is a blend by its name is reported (BLEND_UNKNOWN). */
const struct material *material_patch_flat(struct compile *compile,
                                           const struct material *material);

/* The original of a copy; any other material itself. */
const struct material *material_patch_base(struct compile *compile,
                                           const struct material *material);

void material_patches_free(struct compile *compile);

#endif
