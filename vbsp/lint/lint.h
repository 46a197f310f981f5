/* Faults of a map that compiles and does not work in the game, or crashes it: names that nothing
 * has, values that cannot be read, entities in solid. Nothing is reported that could be right. */
#ifndef VBSP_LINT_LINT_H
#define VBSP_LINT_LINT_H

#include "vbsp/context.h"
#include "vbsp/level/game_fgd.h"

/* Checks a level with its instances, before its cordon and before it is adapted to a target. A
 * game without an FGD is noted once per run (LINT_NO_FGD). */
void lint_level(const struct compile *compile, const struct level *level, struct game_fgd *game);

/* After load_map: checks that need the planes and contents of brushes. */
void lint_loaded(const struct compile *compile);

#endif
