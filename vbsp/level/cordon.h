/* Cordons: boxes that the editor was told to compile alone. */
#ifndef VBSP_LEVEL_CORDON_H
#define VBSP_LEVEL_CORDON_H

#include "vbsp/level/level.h"

/* The boxes of the blocks cordon and cordons of a file that are on, added to map->cordons. Ones
 * without sound numbers are reported (CORDON_BOX). */
void cordon_read(const struct kv *root, struct level *map, struct diag *diag);

/* Drops solids and entities that touch no box of map->cordons, and closes what is left with walls
 * of sky around the boxes. Where all touches one, nothing is done: the editor hands such files,
 * with walls of its own, to the compiler. Reported (CORDON_ON). */
void cordon_apply(struct level *map, struct diag *diag);

#endif
