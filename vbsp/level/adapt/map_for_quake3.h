/* A source of Source's editors that is compiled for Quake 3. */
#ifndef VBSP_LEVEL_ADAPT_MAP_FOR_QUAKE3_H
#define VBSP_LEVEL_ADAPT_MAP_FOR_QUAKE3_H

#include "vbsp/level/map_source.h"

/* Changes a VMF into what Quake 3 means by the same, and leaves a MAP alone: materials get
 * "textures/" (what tool materials are, the shaders tell), func_detail and areaportals become
 * groups of the world's brushes, lights and starts of players become those of Quake 3
 * (map_lights_for_quake3.h), displacements become patches in place of their solids
 * (displacement_patch.h). Those that make no sense are left flat, with a warning
 * (Q3_DISPLACEMENTS). */
void map_for_quake3(struct map_source *map, struct diag *diag);

#endif
