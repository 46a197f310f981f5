/* Bodies of water: which leaves belong to one, how high it stands and how deep it is. */
#ifndef VBSP_SOURCE_SOURCE_WATER_H
#define VBSP_SOURCE_SOURCE_WATER_H

#include "vbsp/compile.h"

/* Finds the bodies of water of a model. Each becomes a record of leaf water data, unless there is
 * an equal one; the leaves of the world get its number. Faces keep no number and no texinfo of
 * their own for it: the maps of version 20 that were looked at have neither. */
void source_water_find(struct compile *compile, struct tree *tree, int model);

/* For each record: a copy of the surface's material that names the depth, in the pakfile. */
void source_water_pack(struct compile *compile);

#endif
