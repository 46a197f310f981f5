/* Internal to the console: what it keeps. */
#ifndef CLI_CONSOLE_INTERNAL_H
#define CLI_CONSOLE_INTERNAL_H

#include <pthread.h>

#include "common/cli/console.h"
#include "common/core/arena.h"
#include "common/diag/estimate.h"

struct feedback;
struct heartbeat;

struct console {
    const char *program;
    struct console_options options;
    struct env env;
    FILE *out, *err;
    FILE *log, *report;           /* or NULL */
    struct feedback *feedback;    /* or NULL */
    struct diag_writer **writers; /* stb_ds array: standard error, the report, the log, feedback */
    bool out_terminal;
    pthread_mutex_t lock; /* printing, and all below */
    struct run_summary summary;
    double phase_start, last_draw;
    struct progress_event phase; /* how far it is; name NULL: none runs */
    size_t phase_errors;         /* before it */
    double last_line;            /* time of the last one that was printed */
    struct heartbeat *heartbeat; /* or NULL */
    struct heartbeat *feeder;    /* of the feedback; or NULL */
    struct estimate estimate;    /* of the phase */
    struct diag *taken;          /* messages of other processes (console_take); or NULL */
    size_t own_taken;            /* of the console's own messages, in `taken` */
    const char **kept;           /* stb_ds array: files that keep what a stopped run has made */
    struct arena texts;          /* of these */
    bool bar_shown;
};

/* Removes the bar before something is printed. Under the lock. */
void console_clear_bar(struct console *console);

/* The messages of the run, those of other processes among them: when there are no more. */
const struct diag *console_all_messages(struct console *console);

#endif
