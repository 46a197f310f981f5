/* Diagnostics, progress and the summary on a terminal or in a log, for main functions.
 *
 * Phases and the summary go to standard output, diagnostics to standard error. Colours are used
 * only on a terminal and without NO_COLOR, a progress bar only on a terminal; a file gets one line
 * per phase, and one each 30 seconds of a long one. A message is
 *
 *   map.vmf:12: error C003: title: message (entity 3, solid 7, side 9, at 0 64 128)
 *     fix: what to do
 *
 * The fix follows the first message of a code. After 5 messages of a code, the others appear only
 * with -v, and in the list at the end, which is printed when a code occurred more than once: one
 * line per code with its count and the first places. JSON has all messages, then one "summary"
 * object if there were any, then one "result" object. Other formats: diag_writer.h. */
#ifndef CLI_CONSOLE_H
#define CLI_CONSOLE_H

#include <stdio.h>

#include "common/cli/host.h"
#include "common/cli/options.h"
#include "common/cli/run_summary.h"
#include "common/diag/diag_writer.h"
#include "common/env.h"

struct console_options {
    bool quiet;      /* no phases, no summary */
    bool verbose;    /* settings, notes, counters and all messages of a code, too */
    bool json;       /* data as JSON; and diagnostics, where no other format is asked for */
    int diagnostics; /* enum diag_format_id: of standard error, or of the file */
    const char *diagnostics_file; /* replaced; or NULL */
    bool annotations;             /* beside that file: standard error has GitHub's, not text */
    int diagnostics_stream;       /* a descriptor that has this name instead; 0: none */
    const char *subject;          /* file that the run is about, or NULL */
    bool has_more_files;          /* the run is about more files than that */
    int threads;                  /* 0: one per CPU */
    size_t max_memory;            /* bytes (bounds.h); 0: no limit */
    double max_seconds;           /* 0: no limit */
    bool no_wait;                 /* for a file that another run changes */
    double silent_seconds;        /* after which a log says how far a phase is; 0: 30 */
    const char *log;     /* file to which all output is appended, without colours; or NULL */
    const char *connect; /* address of an editor that shows the messages (feedback.h); or NULL */
    const struct host *host; /* NULL: a shell */
    FILE *out, *err;         /* NULL: standard output and standard error */
};

struct console;

/* Makes an env over the disk, with "-" for standard input and output. The console owns its diag and
 * progress. The process ignores the signals of a closed pipe and of a file grown too large from
 * here on, so that both are errors. */
struct console *console_new(const char *program, const struct console_options *options);
struct env *console_env(struct console *console);

/* From here on times and counters belong to this stage; `subject` (a file) is shown beside its name
 * and may be NULL. */
void console_stage(struct console *console, const char *name, const char *subject);
/* Prints a line among the phases, unless quiet. */
void console_say(struct console *console, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The summary that is printed at the end; progress fills in phases, counters and files. */
struct run_summary *console_summary(struct console *console);
/* options_summary, when -v asks for it. */
void console_settings(struct console *console, const struct option_table *table, const void *values,
                      const struct option_result *result);
/* Prints JSON objects, one per line, wherever diagnostics are that. */
void console_lines(struct console *console, diag_print_lines *print, const void *context);
/* From here on signals ask the run to end, by env->stop (signals.h), and so does --max-time: its
 * loops end soon, and console_finish reports that. A host has its own way to ask. */
void console_catch_signals(struct console *console);
/* `saves`: from here on a run that is stopped writes what it has made, and gets the time for it
 * (bounds_saves). */
void console_saves(struct console *console, bool saves);
/* A file that keeps what the run has made, if it is stopped: the report names it. */
void console_keeps(struct console *console, const char *path);
/* A message of another process, which has made text of it: for the other formats, the log, and the
 * counts of the result. */
void console_take(struct console *console, const struct diag_entry *entry);
/* Prints what another process has printed: to standard output and the log, and to standard error if
 * that has text. */
void console_pass_on(struct console *console, const struct bytes *out, const struct bytes *err);
/* True when standard error has text: else it has a format of the messages alone. */
bool console_shows_text(const struct console *console);
/* From here on prints only diagnostics: standard output is needed for data. */
void console_quiet(struct console *console);

/* Prints the summary of the run: as text when there was a stage, unless quiet, and with JSON as an
 * object "result" on standard error. Before that reports a run that was stopped (CANCELLED). Frees
 * the console; returns the exit status for main. */
int console_finish(struct console *console, enum status status);

#endif
