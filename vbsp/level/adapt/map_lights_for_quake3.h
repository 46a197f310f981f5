/* Entities of Source as Quake 3 has them. */
#ifndef VBSP_LEVEL_ADAPT_MAP_LIGHTS_FOR_QUAKE3_H
#define VBSP_LEVEL_ADAPT_MAP_LIGHTS_FOR_QUAKE3_H

#include "vbsp/level/map_source.h"

/* light, light_spot, light_environment and light_directional that have a _light key become `light`
 * entities: as bright 100 units away, however they fall off, of the same colour; spots and suns
 * with a target, which is added as an info_null. The _ambient of a sun stays, and is the light of
 * the sky to our vrad; where there is none, half of the sun's is. Styles are not taken over. */
void map_lights_for_quake3(struct map_source *map);

/* Where a map has no info_player_deathmatch, all places where players of its game start become
 * one: nobody could enter it. */
void map_spawns_for_quake3(struct map_source *map);

#endif
