/* Where Steam is installed. */
#ifndef CLI_STEAM_ROOTS_H
#define CLI_STEAM_ROOTS_H

#include "common/core/arena.h"

/* Appends the folders where it may be, which need not be there, to *out, an stb_ds array: those of
 * this user first. Texts are in the arena. */
void steam_roots(struct arena *arena, const char ***out);

#endif
