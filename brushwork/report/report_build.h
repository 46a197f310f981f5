/* The build of a map for its report, by a process of its own. */
#ifndef BRUSHWORK_REPORT_REPORT_BUILD_H
#define BRUSHWORK_REPORT_REPORT_BUILD_H

#include "common/cli/program.h"

struct report_build {
    const char *folder, *bsp, *messages; /* files in a temporary folder */
    enum status status;                  /* of the build: STATUS_OK or STATUS_LEAK */
};

/* Builds the source with further words of the command line of brushwork build (an stb_ds array).
 * Messages of the build are those of this program, too. Fails with the status of the build when
 * there is no map to report on. End it also after a failure. */
NODISCARD enum status report_build(const struct program *program,
                                   const struct standard_options *standard, const char *source,
                                   const char *const *words, struct arena *arena,
                                   struct report_build *out);
/* The same by vbsp alone, for a target; NULL: the usual one. */
NODISCARD enum status report_build_vbsp(const struct program *program,
                                        const struct standard_options *standard, const char *source,
                                        const char *target, struct arena *arena,
                                        struct report_build *out);
void report_build_end(const struct env *env, struct report_build *build);

#endif
