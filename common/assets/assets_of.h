/* What a command line says of game content. */
#ifndef ASSETS_ASSETS_OF_H
#define ASSETS_ASSETS_OF_H

#include "common/assets/assets.h"
#include "common/cli/program.h"

/* What the program adds to that. */
struct assets_use {
    const char *first; /* a folder that stands above all others, or NULL */
    bool quake3;       /* the map is for Quake 3 */
    bool sizes_only;   /* of images: nothing is lit */
};

/* assets_open with what the options say: folders of -insert_search_path, the game, catalogues. */
NODISCARD enum status assets_open_of(const struct env *env, const struct standard_options *options,
                                     struct assets_use use, struct assets **out);

#endif
