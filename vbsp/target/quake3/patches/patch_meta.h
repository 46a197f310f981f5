/* Patches that are drawn as triangles, once and for all, and joined with what is around them. */
#ifndef VBSP_QUAKE3_PATCHES_PATCH_META_H
#define VBSP_QUAKE3_PATCHES_PATCH_META_H

#include "common/assets/assets.h"
#include "vbsp/target/quake3/surfaces/surface.h"
#include "vbsp/vbsp.h"

/* Whether -patchmeta or the key _patchMeta of the patch's entity wants it. Keys count before the
 * option; what is not drawn stays a patch. */
bool patch_meta_wanted(const struct vbsp_options *options, const struct entity *keys,
                       const struct draw_surface *patch);

/* Appends the patch's triangles, and, where it is solid, the patch itself with a solid shader that
 * is not drawn, for bodies to collide with. How near the triangles are to the curve:
 * _patchSubdivide of the entity, else the shader's, else -subdivisions, in units; by _patchQuality
 * times nearer. Consumes the patch. */
void patch_meta_add(const struct vbsp_options *options, const struct entity *keys,
                    struct assets *assets, struct draw_surface *patch, struct draw_surface **out);

#endif
