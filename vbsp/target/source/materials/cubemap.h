/* Assigns cubemaps to sides. */
#ifndef VBSP_SOURCE_MATERIALS_CUBEMAP_H
#define VBSP_SOURCE_MATERIALS_CUBEMAP_H

#include "vbsp/context.h"

/* After the brushes are loaded: assigns sides the materials made for this map (material_patch.h). A
 * side whose material reflects env_cubemap gets the texture of the cubemap that names the side,
 * else of the nearest one in front of it, else of the nearest. A map without cubemaps is unchanged.
 * Flat sides with blended textures show the first. */
void cubemaps_assign(struct compile *compile);

/* Packs default cubemap textures, which the engine shows until the game has built its own:
 * cubemapdefault.vtf and one per cubemap, which show the sky alone; for HDR skies also .hdr.vtf.
 * With no_default_cubemap none are made. Without the sky's textures none are made, which is
 * reported (CUBEMAPS_MISSING) when the map has cubemaps. */
void cubemaps_pack(struct compile *compile);

#endif
