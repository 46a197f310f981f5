/* A run by a process of its own, on behalf of a verb that has use for what it makes. */
#ifndef MANY_CHILD_RUN_H
#define MANY_CHILD_RUN_H

#include "common/cli/program.h"
#include "common/diag/diag_json_read.h"

struct child_task {
    const char *name;   /* of the phase: "build" */
    const char *source; /* the file that it is about */
    char *const *words; /* arguments as of child_arguments */
    /* The file of --diagnostics-file with --diagnostics json that the words name. */
    const char *messages;
    /* Sees its lines, and what the process has printed of them is left out, unless there are none
     * or it has no regular end. NULL: that is printed, and told by this program in other formats.
     */
    diag_json_visit *visit;
    void *context;
    struct bytes *out; /* gets its standard output; NULL: that is printed */
};

/* Runs this program with the words until it ends; SIGTERM is passed on. Returns the status of the
 * process, after a report (MAP_ENDED) about the source if it has none. */
NODISCARD enum status child_run(const struct program *program, const struct child_task *task);

#endif
