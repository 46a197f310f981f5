#include "common/cli/console.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/cli/bar.h"
#include "common/cli/bounds.h"
#include "common/cli/console_internal.h"
#include "common/cli/farm_start.h"
#include "common/cli/feedback.h"
#include "common/cli/heartbeat.h"
#include "common/cli/signals.h"
#include "common/cli/terminal.h"
#include "common/cli/version.h"
#include "common/core/array.h"
#include "common/core/clock.h"
#include "common/core/strings.h"
#include "common/core/text_stream.h"
#include "common/diag/codes/bounds.def"
#include "common/diag/codes/surroundings.def"
#include "common/diag/diag_json.h"
#include "common/diag/file_report.h"
#include "common/farm/farm.h"
#include "common/io/stream.h"
#include "common/parallel/parallel.h"

enum { WAIT_SECONDS = 60, SILENT_SECONDS = 30 };

#define REDRAW_SECONDS 0.1
#define FEED_SECONDS   1.0

static bool chatty(const struct console *console)
{
    return !console->options.quiet && !console->options.host;
}

void console_clear_bar(struct console *console)
{
    if (console->bar_shown) {
        fputs("\r\033[K", console->out);
        fflush(console->out);
    }
    console->bar_shown = false;
}

/* Calls print for standard output, unless quiet, for the log and for an editor. */
typedef void printer(struct console *console, const void *what, FILE *out);

static void print_for_editor(struct console *console, printer *print, const void *what)
{
    struct text_stream said;
    if (!console->feedback || !text_stream_open(&said))
        return;
    print(console, what, said.out);
    text_stream_close(&said);
    feedback_said(console->feedback, said.text);
    free(said.text);
}

static void print_to_all(struct console *console, printer *print, const void *what)
{
    console_clear_bar(console);
    console->last_line = clock_seconds(CLOCK_MONOTONIC);
    if (chatty(console)) {
        print(console, what, console->out);
        fflush(console->out);
    }
    if (console->log) {
        print(console, what, console->log);
        fflush(console->log);
    }
    print_for_editor(console, print, what);
}

static void draw_line(const struct console *console, const char *name, double part,
                      const char *left)
{
    char line[BAR_LINE + 1];
    int columns = terminal_columns(console->out);
    bar_line(line, (columns ? columns : BAR_LINE) - 1, name, part, left);
    fprintf(console->out, "\r\033[K%s", line);
}

static void draw_bar(struct console *console, const struct progress_event *event)
{
    double at = clock_seconds(CLOCK_MONOTONIC), part = -1;
    char left[64] = "";
    if (!console->out_terminal || at - console->last_draw < REDRAW_SECONDS)
        return;
    console->last_draw = at;
    console->bar_shown = true;
    if (event->total) {
        double gone = at - console->phase_start, min, max;
        part = (double)event->done / (double)event->total;
        estimate_add(&console->estimate, part, gone);
        if (event->done && gone > 1) {
            estimate_left(&console->estimate, &min, &max);
            left[0] = left[1] = ' ';
            estimate_text(min, max, left + 2, sizeof left - 2);
        }
    }
    draw_line(console, event->name, part, left);
    fflush(console->out);
}

static void print_phase(struct console *console, const void *what, FILE *out)
{
    const struct progress_event *event = what;
    (void)console;
    fprintf(out, "  %-20s %9.2f s\n", event->name, event->wall_seconds);
}

static void print_count(struct console *console, const void *what, FILE *out)
{
    const struct progress_event *event = what;
    (void)console;
    fprintf(out, "    %s %lld\n", event->name, (long long)event->value);
}

/* A pipe or a device has no size. */
static void add_file(struct console *console, const char *path)
{
    struct fs *fs = console->env.fs;
    uint64_t size;
    if (strcmp(path, "-") != 0 && fs->ops->size(fs, path, &size) == 0)
        run_summary_file(&console->summary, path, (int64_t)size);
}

static void print_beat(struct console *console, const void *what, FILE *out)
{
    const struct progress_event *phase = &console->phase;
    double gone = *(const double *)what - console->phase_start;
    if (phase->total)
        fprintf(out, "  %-20s %3.0f %% after %.0f s\n", phase->name,
                100 * (double)phase->done / (double)phase->total, gone);
    else
        fprintf(out, "  %-20s going on after %.0f s\n", phase->name, gone);
}

/* A heartbeat_call: a line when there was none for a while. A terminal has the bar. */
static double beat(void *context)
{
    struct console *console = context;
    pthread_mutex_lock(&console->lock);
    double now = clock_seconds(CLOCK_MONOTONIC), wait = console->options.silent_seconds;
    double silent = now - console->last_line;
    if (console->phase.name && silent < wait)
        wait -= silent;
    else if (console->phase.name && !console->out_terminal)
        print_to_all(console, print_beat, &now);
    else if (console->phase.name && console->log) {
        print_beat(console, &now, console->log);
        fflush(console->log);
        console->last_line = now;
    }
    pthread_mutex_unlock(&console->lock);
    return wait;
}

/* A heartbeat_call. */
static double feed(void *context)
{
    struct console *console = context;
    pthread_mutex_lock(&console->lock);
    feedback_beat(console->feedback);
    pthread_mutex_unlock(&console->lock);
    return FEED_SECONDS;
}

/* From the first phase on: not before a sandbox is entered, whose rules new threads inherit. */
static void begin_phase(struct console *console, const struct progress_event *event)
{
    double now = clock_seconds(CLOCK_MONOTONIC);
    bool needs_lines = console->log || (chatty(console) && !console->out_terminal);
    console->phase_start = console->last_line = now;
    console->last_draw = 0;
    console->estimate = (struct estimate){0};
    console->phase = *event;
    console->phase_errors = diag_count(console->env.diag, DIAG_ERROR);
    if (needs_lines && !console->heartbeat && !console->options.host)
        console->heartbeat = heartbeat_start(console->options.silent_seconds, beat, console);
    if (console->feedback && !console->feeder)
        console->feeder = heartbeat_start(FEED_SECONDS, feed, console);
}

/* A phase with an error is not printed like one that is done. */
static void end_phase(struct console *console, const struct progress_event *event)
{
    console->phase = (struct progress_event){0};
    run_summary_phase(&console->summary, event->name, event->wall_seconds, event->cpu_seconds);
    if (diag_count(console->env.diag, DIAG_ERROR) == console->phase_errors)
        print_to_all(console, print_phase, event);
    else
        console_clear_bar(console);
}

static void listen(void *context, const struct progress_event *event)
{
    struct console *console = context;
    const struct host *host = console->options.host;
    if (!host)
        bounds_progress(event);
    pthread_mutex_lock(&console->lock);
    if (host)
        host->progress(host->context, event);
    feedback_progress(console->feedback, event);
    switch (event->kind) {
    case PROGRESS_BEGIN:
        begin_phase(console, event);
        if (chatty(console))
            draw_bar(console, event);
        break;
    case PROGRESS_STEP:
        console->phase.done = event->done;
        if (chatty(console))
            draw_bar(console, event);
        break;
    case PROGRESS_END:
        end_phase(console, event);
        break;
    case PROGRESS_COUNT:
        run_summary_counter(&console->summary, event->name, event->value);
        if (console->options.verbose)
            print_to_all(console, print_count, event);
        break;
    case PROGRESS_SIZE:
        break;
    case PROGRESS_FILE:
        add_file(console, event->name);
        break;
    }
    pthread_mutex_unlock(&console->lock);
}

static void show_entry(void *context, const struct diag_entry *entry)
{
    struct console *console = context;
    const struct host *host = console->options.host;
    pthread_mutex_lock(&console->lock);
    console_clear_bar(console);
    fflush(console->out);
    if (host)
        host->message(host->context, entry);
    feedback_flush(console->feedback);
    for (size_t i = 0; i < arrlenu(console->writers); i++)
        diag_writer_entry(console->writers[i], entry);
    pthread_mutex_unlock(&console->lock);
}

static struct diag_writer_options writer_options(const struct console *console,
                                                 struct diag_writer_options options)
{
    options.program = console->program;
    options.version = program_version;
    options.subject = console->options.subject;
    options.has_more_files = console->options.has_more_files;
    options.catches_signals = !console->options.host;
    return options;
}

static void add_writer(struct console *console, FILE *out, struct diag_writer_options options)
{
    options = writer_options(console, options);
    options.out = out;
    arrput(console->writers, diag_writer_new(&options));
}

/* A log that cannot be opened is no reason to lose the work. */
static void open_log(struct console *console)
{
    const char *path = console->options.log;
    console->log = path ? stream_append(path) : NULL;
    if (console->log)
        add_writer(console, console->log, (struct diag_writer_options){.verbose = true});
    else if (path)
        (void)diag_report(console->env.diag, DIAG_LOG_FILE, &(struct diag_where){.file = path},
                          "%s", str_error(errno).text);
}

/* A pipe or a device is not. */
static bool is_regular(FILE *file)
{
    struct stat info;
    return fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode);
}

static void report_failed(struct console *console, int error)
{
    (void)file_unwritten(console->env.diag, console->options.diagnostics_file, "%s",
                         str_error(error).text);
}

/* The file takes the place of an older one as a whole document, before there is a message, and is
 * one after each of them. */
static FILE *begin_report(const struct console *console, const char *path)
{
    const struct diag_writer_options options = writer_options(
        console,
        (struct diag_writer_options){.format = (enum diag_format_id)console->options.diagnostics});
    struct bytes blank = {0};
    diag_writer_blank(&options, &blank);
    FILE *file = stream_replace(path, blank.data, blank.size);
    bytes_free(&blank);
    return file;
}

/* Whoever asks for a report waits for the file. */
static void open_report(struct console *console)
{
    const char *path = console->options.diagnostics_file;
    const int stream = console->options.diagnostics_stream;
    if (path)
        console->report = stream ? fdopen(stream, "w") : begin_report(console, path);
    if (console->report)
        add_writer(console, console->report,
                   (struct diag_writer_options){
                       .format = (enum diag_format_id)console->options.diagnostics,
                       .has_file = is_regular(console->report)});
    else if (path)
        report_failed(console, errno);
}

/* An editor that does not listen is no reason to lose the work. */
static void tell_no_feedback(struct console *console, int error)
{
    (void)diag_report(console->env.diag, DIAG_FEEDBACK, NULL, "%s: %s", console->options.connect,
                      str_error(error).text);
}

static void open_feedback(struct console *console)
{
    int error;
    if (!console->options.connect || console->options.host)
        return;
    struct diag_writer_options options = {.program = console->program,
                                          .version = program_version,
                                          .subject = console->options.subject};
    console->feedback = feedback_open(console->options.connect, options, &error);
    if (console->feedback)
        arrput(console->writers, feedback_writer(console->feedback));
    else
        tell_no_feedback(console, error);
}

static void open_writers(struct console *console)
{
    const struct console_options *options = &console->options;
    const char *no_colour = getenv("NO_COLOR");
    bool is_elsewhere = options->diagnostics_file != NULL;
    enum diag_format_id other = options->json          ? DIAG_AS_JSON
                                : options->annotations ? DIAG_AS_GITHUB
                                                       : DIAG_AS_TEXT;
    struct diag_writer_options terminal_options = {
        .format = is_elsewhere ? other : (enum diag_format_id)options->diagnostics,
        .colour = terminal_is(console->err) && !(no_colour && *no_colour),
        .columns = terminal_columns(console->err),
        .quiet = options->quiet,
        .verbose = options->verbose,
    };
    if (!options->host)
        add_writer(console, console->err, terminal_options);
    open_report(console);
    open_log(console);
    open_feedback(console);
}

struct console *console_new(const char *program, const struct console_options *options)
{
    const struct host *host = options->host;
    if (!host)
        signals_of_output_ignore();
    struct console *console = memory_zalloc(1, sizeof *console);
    console->program = program;
    console->options = *options;
    if (console->options.silent_seconds <= 0)
        console->options.silent_seconds = SILENT_SECONDS;
    console->out = options->out ? options->out : stdout;
    console->err = options->err ? options->err : stderr;
    console->out_terminal = terminal_is(console->out) && !farm_is_launched();
    pthread_mutex_init(&console->lock, NULL);
    console->env = (struct env){
        .diag = diag_new(show_entry, console),
        .progress = progress_new(listen, console),
        .fs = host ? host->fs : fs_standard(),
        .threads = parallel_threads(options->threads),
        .stop = host ? host->stop : NULL,
        .wait_seconds = options->no_wait ? 0 : WAIT_SECONDS,
    };
    open_writers(console);
    if (!host)
        bounds_begin(&(struct bounds_options){.program = program,
                                              .memory = options->max_memory,
                                              .seconds = options->max_seconds,
                                              .writers = console->writers,
                                              .writer_count = arrlenu(console->writers)});
    return console;
}

struct env *console_env(struct console *console)
{
    return &console->env;
}

void console_stage(struct console *console, const char *name, const char *subject)
{
    if (!console->options.host)
        bounds_stage(name);
    run_summary_stage(&console->summary, name);
    if (subject)
        console_say(console, "%s %s", name, subject);
    else
        console_say(console, "%s", name);
}

struct run_summary *console_summary(struct console *console)
{
    return &console->summary;
}

static void print_line(struct console *console, const void *what, FILE *out)
{
    (void)console;
    diag_put_clean(out, what);
    fputc('\n', out);
}

void console_say(struct console *console, const char *format, ...)
{
    struct arena arena = {0};
    va_list args;
    va_start(args, format);
    const char *line = arena_vprintf(&arena, format, args);
    va_end(args);
    pthread_mutex_lock(&console->lock);
    print_to_all(console, print_line, line);
    pthread_mutex_unlock(&console->lock);
    arena_free(&arena);
}

void console_settings(struct console *console, const struct option_table *table, const void *values,
                      const struct option_result *result)
{
    if (chatty(console) && console->options.verbose)
        options_summary(table, values, result, console->out);
    if (console->log)
        options_summary(table, values, result, console->log);
}

void console_quiet(struct console *console)
{
    console->options.quiet = true;
}

static void print_end(struct console *console, const void *what, FILE *out)
{
    run_summary_print(&console->summary, console->env.diag, *(const enum status *)what, out);
}

struct result {
    const struct console *console;
    const struct diag *diag;
    enum status status;
};

static void print_result(const void *context, FILE *out)
{
    const struct result *result = context;
    const struct console *console = result->console;
    run_summary_json(&console->summary, console->program, result->diag, result->status, out);
}

void console_lines(struct console *console, diag_print_lines *print, const void *context)
{
    pthread_mutex_lock(&console->lock);
    for (size_t i = 0; i < arrlenu(console->writers); i++)
        diag_writer_lines(console->writers[i], print, context);
    pthread_mutex_unlock(&console->lock);
}

static void close_writers(struct console *console)
{
    size_t others = arrlenu(console->writers) - (console->feedback ? 1 : 0);
    for (size_t i = 0; i < others; i++)
        diag_writer_free(console->writers[i]);
    arrfree(console->writers);
    if (console->log)
        fclose(console->log);
    if (console->report)
        fclose(console->report);
}

/* NULL: there is none. */
static struct diag_writer *report_writer(const struct console *console)
{
    return console->report ? console->writers[console->options.host ? 0 : 1] : NULL;
}

/* The report is first, so that the others can tell that it could not be written. The log has each
 * message. */
static enum status end_writers(struct console *console, enum status status)
{
    struct diag *diag = console->env.diag;
    size_t terminals = console->options.host ? 0 : 1;
    struct diag_writer *report = report_writer(console);
    if (report) {
        diag_writer_end(report, console_all_messages(console), status);
        int error = diag_writer_error(report);
        if (error) {
            report_failed(console, error);
            status = diag_verdict(diag, status);
        }
    }
    if (terminals)
        diag_writer_end(console->writers[0],
                        console_shows_text(console) ? diag : console_all_messages(console), status);
    return status;
}

/* The result of the run follows all messages, and may be what does not fit into the report. */
static enum status end_lines(struct console *console, enum status status)
{
    struct diag_writer *report = report_writer(console);
    const bool was_whole = report && !diag_writer_error(report);
    console_lines(console, print_result,
                  &(struct result){console, console_all_messages(console), status});
    if (!was_whole || !diag_writer_error(report))
        return status;
    report_failed(console, diag_writer_error(report));
    return diag_verdict(console->env.diag, status);
}

/* An editor that was told an error may close the connection. */
static void tell_dropped_feedback(struct console *console)
{
    int error = feedback_error(console->feedback);
    bool is_closed = error == EPIPE || error == ECONNRESET;
    if (error && !(is_closed && diag_count(console->env.diag, DIAG_ERROR)))
        tell_no_feedback(console, error);
}

/* After the summary, which is for the editor, too. */
static void end_feedback(struct console *console, enum status status)
{
    feedback_flush(console->feedback);
    if (console->feedback)
        diag_writer_end(feedback_writer(console->feedback), console_all_messages(console), status);
}

void console_catch_signals(struct console *console)
{
    if (console->options.host)
        return;
    volatile sig_atomic_t *stop = signals_catch();
    console->env.stop = stop;
    bounds_ask_to_stop(stop);
}

void console_saves(struct console *console, bool saves)
{
    if (!console->options.host)
        bounds_saves(saves);
}

void console_keeps(struct console *console, const char *path)
{
    arrput(console->kept, arena_strdup(&console->texts, path));
}

/* "by SIGINT; kept: map.bsp.vradcheckpoint; --resume continues from it" */
static void report_stopped(struct console *console)
{
    const char *by = signals_caught(), *kept = "";
    if (console->options.host)
        by = "request";
    else if (!env_stopped(&console->env))
        by = "a signal to another rank";
    for (size_t i = 0; i < arrlenu(console->kept); i++)
        kept = arena_printf(&console->texts, "%s%s%s", kept, i ? ", " : "; the work so far is in ",
                            console->kept[i]);
    (void)diag_report(console->env.diag, DIAG_CANCELLED, NULL, "by %s%s%s", by ? by : "--max-time",
                      kept, *kept ? ": --resume continues from there" : "");
}

int console_finish(struct console *console, enum status status)
{
    struct diag *diag = console->env.diag;
    const bool has_host = console->options.host != NULL;
    heartbeat_stop(console->heartbeat);
    heartbeat_stop(console->feeder);
    if (status == STATUS_FAILED && (env_stopped(&console->env) || farm_stopped(&console->env)))
        report_stopped(console);
    if (status == STATUS_OK || status == STATUS_LEAK || status == STATUS_FAILED)
        (void)!diag_judge(diag);
    status = diag_verdict(diag, status);
    if (!has_host) {
        status = bounds_verdict(diag, status);
        bounds_end();
    }
    run_summary_end_stage(&console->summary);
    console_clear_bar(console);
    tell_dropped_feedback(console);
    status = end_writers(console, status);
    if (arrlenu(console->summary.stages))
        print_to_all(console, print_end, &status);
    status = end_lines(console, status);
    end_feedback(console, status);
    fflush(console->out);
    fflush(console->err);
    close_writers(console);
    feedback_close(console->feedback, status);
    run_summary_free(&console->summary);
    arrfree(console->kept);
    arena_free(&console->texts);
    progress_free(console->env.progress);
    diag_free(console->taken);
    diag_free(diag);
    pthread_mutex_destroy(&console->lock);
    memory_free(console);
    return (int)status;
}
