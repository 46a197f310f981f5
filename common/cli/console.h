/* Diagnostics and progress on a terminal or in a log, for main functions.
 *
 * Phases, counts and the final table go to standard output, diagnostics to standard error. Colours
 * only on a terminal and without NO_COLOR; a bar only on a terminal; in a file one line a phase.
 * A message is
 *
 *   map.vmf:12: error C003: title: message (entity 3, solid 7, side 9, at 0 64 128)
 *     fix: what to do
 *
 * with the fix at the first of its code. After 5 of a code the others are left to the summary,
 * which stands at the end when a code came up more than once: a line a code, with its number and
 * the first places. With JSON all are told, and the summary is one object more, whenever there was
 * any. */
#ifndef CLI_CONSOLE_H
#define CLI_CONSOLE_H

#include <stdio.h>

#include "common/cli/options.h"
#include "common/cli/run_summary.h"
#include "common/env.h"

struct console_options {
    bool quiet;      /* no phases, no counts */
    bool verbose;    /* notes and counts as they come */
    bool json;       /* diagnostics as one JSON object a line, on standard error */
    int threads;     /* 0: one a processor */
    const char *log; /* file that gets all that is told appended, without colours; or NULL */
    FILE *out, *err; /* NULL: standard output and standard error */
};

struct console;

/* Makes an env over the disk, with "-" for standard input and output. The console owns its diag and
 * progress. The process ignores the signals of a closed pipe and of a file grown too large from
 * here on, so that both are errors. */
struct console *console_new(const char *program, const struct console_options *options);
struct env *console_env(struct console *console);

/* From here on time and counts belong to this stage; `subject` (a file) is shown beside its name
 * and may be NULL. */
void console_stage(struct console *console, const char *name, const char *subject);
/* A line among the phases, unless quiet: what was written, and the like. */
void console_say(struct console *console, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What is printed at the end: progress fills in phases, counters and files. */
struct run_summary *console_summary(struct console *console);
/* options_summary, when -v asks for it. */
void console_settings(struct console *console, const struct option_table *table, const void *values,
                      const struct option_result *result);
/* Nothing more but diagnostics: standard output is wanted for data. */
void console_quiet(struct console *console);

/* Prints the summary of the run: as text when there was a stage, unless quiet, and with JSON as an
 * object "result" on standard error. Frees the console; returns the exit status for main. */
int console_finish(struct console *console, enum status status);

#endif
