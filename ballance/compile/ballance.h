/* Levels of Ballance: makes a BM file of a level.
 *
 * There is no tree, no inside and no leak: a level floats in the open. Each brush entity becomes an
 * object, with the outer hull of its brushes as its mesh; those of the world, and of groups and
 * detail, are one. docs/guides/ballance.md has the classes, keys and materials. */
#ifndef BALLANCE_COMPILE_BALLANCE_H
#define BALLANCE_COMPILE_BALLANCE_H

#include "ballance/bmx/bmx.h"
#include "common/assets/assets.h"
#include "vbsp/level/level.h"

/* Map units per BM unit: a ball is 64 units wide, a block of floor 80. A power of two, so that
 * floats stay exact. */
#define BALLANCE_SCALE 16.0

struct ballance_options {
    double scale;          /* map units per BM unit; 0: BALLANCE_SCALE */
    bool no_merge;         /* sides stay areas of their own */
    const char *materials; /* the table; NULL: the file named like the map, else like the output,
                              with the ending .materials, if there is one */
    const char *output;    /* or NULL */
};

/* Makes the model. The level is complete: level_complete. Materials are found in the table of the
 * level, then in that of the game's own; images beside the map, then in the assets (NULL: there are
 * none). What Ballance cannot have is reported (M140 to M152). Fails, with *out NULL, when the
 * table is invalid or nothing is left. */
NODISCARD enum status ballance_make(const struct env *env, const struct ballance_options *options,
                                    struct assets *assets, const struct level *level,
                                    struct bmx **out);

#endif
