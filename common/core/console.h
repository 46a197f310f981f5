/* What main functions share: diagnostics and progress on a terminal or in a log.
 *
 * Colours only on a terminal and without NO_COLOR; a bar only on a terminal; in a file one line a
 * phase. Diagnostics go to standard error. */
#ifndef CORE_CONSOLE_H
#define CORE_CONSOLE_H

#include "common/core/env.h"

struct console_options {
    bool quiet;    /* no phases, no counts */
    bool verbose;  /* notes and counts as they come */
    bool json;     /* diagnostics as one JSON object a line, on standard error */
    int threads;   /* 0: one a processor */
};

struct console;

/* Makes an env over the disk. The console owns its diag and progress. */
struct console *console_new(const char *program, const struct console_options *options);
struct env *console_env(struct console *console);
/* Prints the table of phases and counts (unless quiet) and the number of warnings and errors;
 * frees the console; returns the exit status for main. */
int console_finish(struct console *console, enum status status);

#endif
