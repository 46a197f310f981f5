/* What a command line says of game content. */
#ifndef ASSETS_ASSETS_OF_H
#define ASSETS_ASSETS_OF_H

#include "common/assets/assets.h"
#include "common/core/program.h"

/* assets_open with what the options say: folders of -insert_search_path, the game, catalogues.
 * `first` is a folder that stands above all of them, or NULL. */
NODISCARD enum status assets_open_of(const struct env *env, const struct standard_options *options,
                                     const char *first, struct assets **out);

#endif
