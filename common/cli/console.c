#include "common/cli/console.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/bounds.h"
#include "common/core/arena.h"
#include "common/core/array.h"
#include "common/core/clock.h"
#include "common/core/strings.h"
#include "common/diag/diag_text.h"
#include "common/diag/estimate.h"
#include "common/parallel/parallel.h"

enum {
    MAX_OF_A_CODE = 5,
    NAME_WIDTH = 20,
    BAR_WIDTH = 24,
    MIN_BAR_WIDTH = 8,
    MAX_LINE = 200,
    WAIT_SECONDS = 60
};

#define REDRAW_SECONDS 0.1

struct console {
    const char *program;
    struct console_options options;
    struct env env;
    FILE *out, *err;
    FILE *log; /* or NULL */
    bool out_terminal, colour;
    pthread_mutex_t lock; /* printing, and all below */
    size_t printed[DIAG_CODES];
    struct run_summary summary;
    double phase_start, last_draw;
    struct estimate estimate; /* of the phase */
    bool bar_shown;
};

static bool terminal(FILE *file)
{
    int descriptor = fileno(file);
    const char *kind = getenv("TERM");
    return descriptor >= 0 && isatty(descriptor) && kind && strcmp(kind, "dumb") != 0;
}

static bool chatty(const struct console *console)
{
    return !console->options.quiet;
}

static void clear_bar(struct console *console)
{
    if (console->bar_shown) {
        fputs("\r\033[K", console->out);
        fflush(console->out);
    }
    console->bar_shown = false;
}

/* Calls print for standard output, unless quiet, and for the log. */
typedef void printer(struct console *console, const void *what, FILE *out);

static void print_to_both(struct console *console, printer *print, const void *what)
{
    clear_bar(console);
    if (chatty(console)) {
        print(console, what, console->out);
        fflush(console->out);
    }
    if (console->log) {
        print(console, what, console->log);
        fflush(console->log);
    }
}

/* Columns of the terminal; wide if it does not say. */
static int columns(const struct console *console)
{
    struct winsize size;
    if (ioctl(fileno(console->out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return MAX_LINE;
}

/* Draws "  name [###...]  42 %  about 20 s left" in one line of the terminal: in a narrow one the
 * bar is shorter, then the estimate is left out, and what is still too long is cut. */
static void draw_line(const struct console *console, const char *name, double part,
                      const char *left)
{
    int room = columns(console) - 1,
        fixed = (int)strlen("  ") + NAME_WIDTH + (int)strlen(" [] 100 %");
    if (fixed + MIN_BAR_WIDTH + (int)strlen(left) > room)
        left = "";
    int width = room - fixed - (int)strlen(left);
    width = width > BAR_WIDTH ? BAR_WIDTH : width < 0 ? 0 : width;
    char line[MAX_LINE + 1], bar[BAR_WIDTH + 1] = "";
    for (int i = 0; i < width; i++)
        bar[i] = i < (int)(part * (double)width) ? '#' : '.';
    if (part >= 0)
        snprintf(line, sizeof line, "  %-*s [%.*s] %3.0f %%%s", NAME_WIDTH, name, width, bar,
                 100 * part, left);
    else
        snprintf(line, sizeof line, "  %-*s", NAME_WIDTH, name);
    fprintf(console->out, "\r\033[K%.*s", room < 0 ? 0 : room, line);
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

static void listen(void *context, const struct progress_event *event)
{
    struct console *console = context;
    bounds_progress(event);
    pthread_mutex_lock(&console->lock);
    switch (event->kind) {
    case PROGRESS_BEGIN:
        console->phase_start = clock_seconds(CLOCK_MONOTONIC);
        console->last_draw = 0;
        console->estimate = (struct estimate){0};
        if (chatty(console))
            draw_bar(console, event);
        break;
    case PROGRESS_STEP:
        if (chatty(console))
            draw_bar(console, event);
        break;
    case PROGRESS_END:
        run_summary_phase(&console->summary, event->name, event->wall_seconds, event->cpu_seconds);
        print_to_both(console, print_phase, event);
        break;
    case PROGRESS_COUNT:
        run_summary_counter(&console->summary, event->name, event->value);
        if (console->options.verbose)
            print_to_both(console, print_count, event);
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
    bool quiet_note = entry->severity == DIAG_NOTE && console->options.quiet;
    pthread_mutex_lock(&console->lock);
    size_t earlier = console->printed[entry->code]++;
    struct diag_style style = {earlier == 0, console->colour, console->options.verbose};
    clear_bar(console);
    fflush(console->out);
    if (console->options.json)
        diag_print_json(console->err, console->program, entry);
    else if ((earlier < MAX_OF_A_CODE || console->options.verbose) && !quiet_note)
        diag_print_text(console->err, console->program, entry, style);
    fflush(console->err);
    if (console->log)
        diag_print_text(console->log, console->program, entry,
                        (struct diag_style){.fix = style.fix, .whole = true});
    pthread_mutex_unlock(&console->lock);
}

/* A log that cannot be opened is no reason to lose the work. */
static void open_log(struct console *console)
{
    const char *path = console->options.log;
    console->log = path ? fopen(path, "a") : NULL;
    if (path && !console->log)
        (void)diag_report(console->env.diag, DIAG_LOG_FILE, &(struct diag_where){.file = path},
                          "%s", str_error(errno).text);
}

static void ignore_signal(int number)
{
    struct sigaction action = {0};
    action.sa_handler = SIG_IGN;
    sigaction(number, &action, NULL);
}

struct console *console_new(const char *program, const struct console_options *options)
{
    json_set_alloc_funcs(memory_alloc, memory_free);
    ignore_signal(SIGPIPE);
    ignore_signal(SIGXFSZ);
    struct console *console = memory_zalloc(1, sizeof *console);
    console->program = program;
    console->options = *options;
    console->out = options->out ? options->out : stdout;
    console->err = options->err ? options->err : stderr;
    console->out_terminal = terminal(console->out);
    const char *no_colour = getenv("NO_COLOR");
    console->colour = terminal(console->err) && !(no_colour && *no_colour);
    pthread_mutex_init(&console->lock, NULL);
    console->env = (struct env){
        .diag = diag_new(show_entry, console),
        .progress = progress_new(listen, console),
        .fs = fs_standard(),
        .threads = parallel_threads(options->threads),
        .wait_seconds = options->no_wait ? 0 : WAIT_SECONDS,
    };
    open_log(console);
    bounds_begin(&(struct bounds_options){.program = program,
                                          .memory = options->max_memory,
                                          .seconds = options->max_seconds,
                                          .json = options->json,
                                          .err = console->err,
                                          .log = console->log});
    return console;
}

struct env *console_env(struct console *console)
{
    return &console->env;
}

void console_stage(struct console *console, const char *name, const char *subject)
{
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
    fprintf(out, "%s\n", (const char *)what);
}

void console_say(struct console *console, const char *format, ...)
{
    struct arena arena = {0};
    va_list args;
    va_start(args, format);
    const char *line = arena_vprintf(&arena, format, args);
    va_end(args);
    pthread_mutex_lock(&console->lock);
    print_to_both(console, print_line, line);
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

/* Where a code came up more than once, all are told again together: those of which only the number
 * is left, and which of them most lines were about. */
static void print_summary(struct console *console)
{
    const struct console_options *options = &console->options;
    struct diag_group *groups = diag_summary(console->env.diag);
    bool repeated = false;
    for (size_t i = 0; i < arrlenu(groups); i++)
        repeated |= groups[i].count > 1 && (groups[i].severity != DIAG_NOTE || !options->quiet);
    if (options->json && groups)
        diag_summary_json(console->err, console->program, groups);
    else if (repeated)
        diag_summary_text(console->err, console->program, groups, !options->quiet);
    arrfree(groups);
}

static void print_end(struct console *console, const void *what, FILE *out)
{
    run_summary_print(&console->summary, console->env.diag, *(const enum status *)what, out);
}

int console_finish(struct console *console, enum status status)
{
    struct diag *diag = console->env.diag;
    status = diag_verdict(diag, status);
    status = bounds_verdict(diag, status);
    bounds_end();
    run_summary_end_stage(&console->summary);
    clear_bar(console);
    print_summary(console);
    if (arrlenu(console->summary.stages))
        print_to_both(console, print_end, &status);
    if (console->options.json)
        run_summary_json(&console->summary, console->program, diag, status, console->err);
    if (console->log)
        fclose(console->log);
    fflush(console->out);
    fflush(console->err);
    run_summary_free(&console->summary);
    progress_free(console->env.progress);
    diag_free(diag);
    pthread_mutex_destroy(&console->lock);
    memory_free(console);
    return (int)status;
}
