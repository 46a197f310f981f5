/* A .map that is compiled for the Source engine. */
#ifndef VBSP_LEVEL_ADAPT_MAP_FOR_SOURCE_H
#define VBSP_LEVEL_ADAPT_MAP_FOR_SOURCE_H

#include "vbsp/level/map_source.h"

/* Changes a source that counts its ids into what Source means by the same, and leaves others alone:
 * materials lose "textures/", Quake's tool shaders become Source's tool materials, brushes of those
 * that are nothing there (for bots, for the light grid) are left out, the world's areaportals
 * become func_areaportal entities, of contents and flags the detail bit stays, a light of class
 * `light` gets keys that give the same light, and patches are left out with a warning
 * (PATCH_TARGET). */
void map_for_source(struct map_source *map, struct diag *diag);

#endif
