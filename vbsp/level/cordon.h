/* Cordons: boxes to which the editor limits a compile. */
#ifndef VBSP_LEVEL_CORDON_H
#define VBSP_LEVEL_CORDON_H

#include "vbsp/level/level.h"

/* Reads the active boxes of a file's cordon and cordons blocks into map->cordons. Reports invalid
 * ones (CORDON_BOX). */
void cordon_read(const struct kv *root, struct level *map, struct diag *diag);

/* Drops solids and entities that touch no box of map->cordons and seals the rest with walls of sky
 * around the boxes. Does nothing if everything touches a box: the editor passes such files, already
 * walled, to the compiler. Reported (CORDON_ON). */
void cordon_apply(struct level *map, struct diag *diag);

#endif
