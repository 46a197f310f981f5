/* Converts a level made for one engine family for the other. */
#ifndef VBSP_LEVEL_ADAPT_ADAPT_H
#define VBSP_LEVEL_ADAPT_ADAPT_H

#include "vbsp/level/level.h"

/* Converts a level with counted ids (a .map) for Source and leaves others alone: materials lose
 * "textures/", Quake's tool shaders become Source's tool materials, brushes of those without an
 * equivalent (for bots, for the light grid) are dropped, the world's areaportals become
 * func_areaportal entities, of contents and flags only the detail bit stays, entities of class
 * `light` get keys for equal light, and patches are dropped with a warning (PATCH_TARGET). */
void adapt_to_source(struct level *map, struct diag *diag);

/* Converts a VMF for Quake 3 and leaves a MAP alone: materials get "textures/" (the shaders define
 * what tool materials do), func_detail and areaportals become groups of the world's brushes, lights
 * and player starts become those of Quake 3, displacements become patches that replace their
 * solids. Invalid ones stay flat, with a warning (Q3_DISPLACEMENTS). In both, clones of groups get
 * their brushes. */
void adapt_to_quake3(struct level *map, struct diag *diag);

/* --- steps of adapt_to_quake3 --- */

/* Returns the name of the entity that it is a clone of, by any of the keys, or "". */
const char *map_clone_source(const struct entity *keys);
/* Keys for the names of entities to be cloned, up to NULL: those for the compiler take precedence
 * over the game's. */
extern const char *const map_clone_names[];

/* Appends patches of at most 5 x 5 control points whose curves run through all vertices of the
 * displacement of a side; their coordinates count texels (map_patch.mapped_in_texels) and they face
 * as the side does. Painted alpha is lost. False, and nothing appended, if the block is invalid or
 * the side does not have four corners. */
bool displacement_patches(struct level *map, const struct map_solid *solid,
                          const struct map_side *side, struct map_patch **out);

#endif
