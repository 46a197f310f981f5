/* The rules that a level of Ballance follows so that the game can load and play it. */
#ifndef BMX_LEVEL_RULES_H
#define BMX_LEVEL_RULES_H

#include "ballance/bmx/bmx.h"

/* Checks a model without errors (bmx_check_model): start, end, sectors, checkpoints and reset
 * points, groups of components, objects with physics, stoppers, rails and sides of floors (codes
 * L_START to L_SIDE_DARK). */
void bmx_check_level(const struct bmx *bmx, struct bmx_findings *findings);

#endif
