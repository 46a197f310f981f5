/* The list of Steam's folders of games: libraryfolders.vdf. */
#ifndef TEXT_STEAM_LIBRARIES_H
#define TEXT_STEAM_LIBRARIES_H

#include "common/core/arena.h"
#include "common/diag/diag.h"

/* Appends the folders, of which each has a folder steamapps, to *out, an stb_ds array; texts are in
 * the arena, with `/` for `\`. Takes the form with a block for each folder and the older one with
 * its path alone. Fails when the text cannot be read (TEXT_SYNTAX). */
NODISCARD enum status steam_libraries_parse(const char *text, size_t size, const char *file,
                                            struct arena *arena, struct diag *diag,
                                            const char ***out);

#endif
