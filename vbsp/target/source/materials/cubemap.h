/* Cubemaps: which one each side mirrors. */
#ifndef VBSP_SOURCE_MATERIALS_CUBEMAP_H
#define VBSP_SOURCE_MATERIALS_CUBEMAP_H

#include "vbsp/context.h"

/* After the brushes: gives sides the materials that are made for this map (material_patch.h). A
 * side that mirrors the room gets the picture of the env_cubemap that names it, else of the nearest
 * one in front of it, else of the nearest. A map without any stays as it is. Flat sides with a
 * blend of two textures show the first. */
void cubemaps_assign(struct compile *compile);

/* The pictures that the engine shows until the game has taken its own: cubemapdefault.vtf, and one
 * for each cubemap, in the colours of the sky's textures; for skies with HDR textures also
 * .hdr.vtf. Without the sky's textures at hand none are made, which is told (CUBEMAPS_MISSING) when
 * the map has cubemaps. */
void cubemaps_pack(struct compile *compile);

#endif
