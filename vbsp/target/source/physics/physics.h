/* What the physics engine collides with: a model's hulls and its text, for lump 29. */
#ifndef VBSP_SOURCE_PHYSICS_PHYSICS_H
#define VBSP_SOURCE_PHYSICS_PHYSICS_H

#include "vbsp/compile.h"

/* The world's static solids, one a mask, and its bodies of water. After the records of its leaves
 * and of its water are there. */
void physics_add_world(struct compile *compile);

/* Whether displacements are hulls in lump 29, and no virtual meshes: by the option, or because the
 * version of the file knows none. */
bool physics_has_no_meshes(const struct compile *compile);

/* The solid of a brush entity, whose model was the last to be written, while the portals of its
 * tree are there. */
void physics_add_model(struct compile *compile, int entity, struct tree *tree);

/* Writes the lump into the bsp. Fails when a solid could not be written (reported). */
NODISCARD enum status physics_finish(struct compile *compile);
void physics_maker_free(struct compile *compile);

#endif
