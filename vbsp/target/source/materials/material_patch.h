/* Materials made for one map: modified copies with data of this map, packed into the BSP below
 * materials/maps/MAP/. */
#ifndef VBSP_SOURCE_MATERIALS_MATERIAL_PATCH_H
#define VBSP_SOURCE_MATERIALS_MATERIAL_PATCH_H

#include "vbsp/context.h"

/* Boxes in which cubemaps are seen: a parallax_obb, which an env_cubemap names by cubemapbounds. */

/* Each row gives a place along one axis of the box, 0 .. 1 inside: x, y and z of the world by the
 * first three numbers, and the fourth added. */
struct parallax_box {
    bool present;
    double rows[3][4];
};

/* Returns an stb_ds array with the box of each cubemap of the bsp. Reports a name that no brush
 * entity of that class has, and brushes that are no boxes (CUBEMAP_BOX): such cubemaps have none.
 */
struct parallax_box *parallax_boxes_find(struct compile *compile);

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
