/* A statement of provenance beside what is there, and beside that of another build. */
#ifndef BRUSHWORK_REBUILD_COMPARISON_H
#define BRUSHWORK_REBUILD_COMPARISON_H

#include "common/cli/statement.h"
#include "common/env.h"

/* Returns the path of a name of the statement. */
const char *statement_path(struct arena *arena, const char *root, const char *name);

/* Reports each input that is not there, or is another one (REBUILD_INPUT). */
NODISCARD enum status compare_inputs_with_files(const struct env *env, const char *root,
                                                const struct statement *statement);

/* Reports each input and output that only one of the builds has, and each output that differs
 * (REBUILD_INPUT, REBUILD_OUTPUT). */
NODISCARD enum status compare_builds(const struct env *env, const struct statement *wanted,
                                     const struct statement *made);

#endif
