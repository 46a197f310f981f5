/* A build by a process of its own, on behalf of a verb that has use for its files. */
#ifndef MANY_CHILD_RUN_H
#define MANY_CHILD_RUN_H

#include "common/cli/program.h"

/* Runs this program with the words (arguments as of child_arguments) until it ends; SIGTERM is
 * passed on. The words name `messages`, a file of --diagnostics-file with --diagnostics json: what
 * the process tells is told by this program. Returns the status of the process, after a report
 * (MAP_ENDED) about `source` if it has none. */
NODISCARD enum status child_run(const struct program *program, const char *source,
                                char *const *words, const char *messages);

#endif
