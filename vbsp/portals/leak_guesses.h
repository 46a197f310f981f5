/* Guesses about materials that a leak refutes.
 *
 * The name of a material without files may tell of something see-through (guess_material), which
 * does not seal. That is a hypothesis. A world that leaks through brushes of such materials alone
 * is far more often sealed by them than left open by its mapper. */
#ifndef VBSP_PORTALS_LEAK_GUESSES_H
#define VBSP_PORTALS_LEAK_GUESSES_H

#include "vbsp/context.h"
#include "vbsp/tree/tree.h"

/* In a flooded tree that leaks: makes the guessed materials opaque that the outside reaches the
 * inside through, in the whole map, and reports each. False, with nothing changed, when the world
 * leaks without them too. After true, call the target's `changed` and build the tree again. */
bool leak_guesses_withdraw(struct compile *compile, struct tree *tree);

#endif
