/* A level of one family's editors as the other family means it. */
#ifndef VBSP_LEVEL_ADAPT_ADAPT_H
#define VBSP_LEVEL_ADAPT_ADAPT_H

#include "vbsp/level/level.h"

/* Changes a source that counts its ids into what Source means by the same, and leaves others alone:
 * materials lose "textures/", Quake's tool shaders become Source's tool materials, brushes of those
 * that are nothing there (for bots, for the light grid) are left out, the world's areaportals
 * become func_areaportal entities, of contents and flags the detail bit stays, a light of class
 * `light` gets keys that give the same light, and patches are left out with a warning
 * (PATCH_TARGET). */
void adapt_to_source(struct level *map, struct diag *diag);

/* Changes a VMF into what Quake 3 means by the same, and leaves a MAP alone: materials get
 * "textures/" (what tool materials are, the shaders tell), func_detail and areaportals become
 * groups of the world's brushes, lights and starts of players become those of Quake 3,
 * displacements become patches in place of their solids. Those that make no sense are left flat,
 * with a warning (Q3_DISPLACEMENTS). */
void adapt_to_quake3(struct level *map, struct diag *diag);

/* --- steps of adapt_to_quake3 --- */

/* light, light_spot, light_environment and light_directional that have a _light key become `light`
 * entities: as bright 100 units away, however they fall off, of the same colour; spots and suns
 * with a target, which is added as an info_null. The _ambient of a sun stays, and is the light of
 * the sky to our vrad; where there is none, half of the sun's is. Styles are not taken over. */
void adapt_quake3_lights(struct level *map);

/* Where a map has no info_player_deathmatch, all places where players of its game start become
 * one: nobody could enter it. */
void adapt_quake3_spawns(struct level *map);

/* Appends patches of at most 5 x 5 control points whose curves run through all vertices of the
 * displacement of a side; they count texels (map_patch.mapped_in_texels) and look where the side
 * does. What is painted with alpha is lost. False, and nothing appended, where the block makes no
 * sense or the side has no four corners. */
bool displacement_patches(struct level *map, const struct map_solid *solid,
                          const struct map_side *side, struct map_patch **out);

#endif
