/* Writes the BM file of a level: the work of `vbsp --target ballance` and `brushwork convert`. */
#ifndef BALLANCE_COMPILE_CONVERT_H
#define BALLANCE_COMPILE_CONVERT_H

#include "ballance/compile/ballance.h"
#include "common/assets/game_program.h"

#define BALLANCE_TARGET "ballance"
#define BALLANCE_ENDING ".bmx"

struct ballance_job {
    const struct env *env;
    const struct standard_options *standard; /* the game's content */
    struct ballance_options options;
    const struct level *level;
    enum diag_severity missing_instances;
    const char *content; /* a folder that takes precedence over the game, or NULL */
    const char *path;    /* of the file; "-" is standard output */
    bool only_check;     /* nothing is written */
};

/* Completes the level, makes the model, checks it, and writes the file, which is replaced
 * atomically. */
NODISCARD enum status ballance_convert(const struct ballance_job *job);

#endif
