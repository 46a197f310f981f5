#include "common/cli/bounds.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/cli/heartbeat.h"
#include "common/cli/signals.h"
#include "common/core/ending.h"
#include "common/core/memory.h"
#include "common/diag/codes/bounds.def"
#include "common/diag/codes/internal.def"

enum { NAME = 48, SIZES = 6, MESSAGE = 640, MEGABYTE = 1 << 20 };

/* For a run that keeps what it has done, and for one that only has to leave. */
#define MIN_GRACE_SECONDS   2.0
#define GRACE_SHARE         0.1
#define SHORT_GRACE_SECONDS 0.25

struct size {
    char name[NAME];
    int64_t value;
};

/* The present work of the run. */
struct activity {
    char stage[NAME], phase[NAME];
    bool in_phase;
    size_t done, total;
    struct size sizes[SIZES]; /* the last ones of the stage */
    size_t size_count;
};

static struct {
    struct bounds_options options;
    bool is_time_over; /* guarded by lock */
    struct activity activity;
    struct activity last; /* when the time was over */
    volatile sig_atomic_t *stop;
    bool saves;              /* guarded by lock */
    pthread_mutex_t lock;    /* held for copies only */
    struct heartbeat *watch; /* over the time; or NULL */
} run = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool bounds_parse_size(const char *text, size_t *bytes)
{
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    double number = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end) : NULL;
    if (end == text || errno || (*end && !unit))
        return false;
    for (const char *at = units; unit && at <= unit; at++)
        number *= 1024;
    end += unit != NULL;
    if (unit && (*end == 'B' || *end == 'b'))
        end++;
    if (*end || !(number >= (double)MEGABYTE) || number > (double)((size_t)1 << 60))
        return false;
    *bytes = (size_t)number;
    return true;
}

static void copy_name(char to[NAME], const char *from)
{
    snprintf(to, NAME, "%s", from);
}

void bounds_stage(const char *name)
{
    pthread_mutex_lock(&run.lock);
    run.activity = (struct activity){0};
    copy_name(run.activity.stage, name);
    pthread_mutex_unlock(&run.lock);
}

/* Keeps the largest sizes. */
static void keep_size(struct activity *activity, const char *name, int64_t value)
{
    size_t at = 0;
    while (at < activity->size_count && strcmp(activity->sizes[at].name, name) != 0)
        at++;
    if (at == SIZES) {
        at = 0;
        for (size_t i = 1; i < SIZES; i++)
            if (activity->sizes[i].value < activity->sizes[at].value)
                at = i;
        if (activity->sizes[at].value >= value)
            return;
    } else if (at == activity->size_count) {
        activity->size_count++;
    }
    copy_name(activity->sizes[at].name, name);
    activity->sizes[at].value = value;
}

void bounds_progress(const struct progress_event *event)
{
    struct activity *activity = &run.activity;
    pthread_mutex_lock(&run.lock);
    switch (event->kind) {
    case PROGRESS_BEGIN:
        copy_name(activity->phase, event->name);
        activity->in_phase = true;
        activity->done = 0;
        activity->total = event->total;
        break;
    case PROGRESS_STEP:
        activity->done = event->done;
        activity->total = event->total;
        break;
    case PROGRESS_END:
        activity->in_phase = false;
        break;
    case PROGRESS_COUNT:
    case PROGRESS_SIZE:
        if (event->value > 0)
            keep_size(activity, event->name, event->value);
        break;
    case PROGRESS_FILE:
        break;
    }
    pthread_mutex_unlock(&run.lock);
}

__attribute__((format(printf, 2, 3))) static void append(char text[MESSAGE], const char *format,
                                                         ...)
{
    size_t length = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, MESSAGE - length, format, args);
    va_end(args);
}

/* Appends "in "chop" of vbsp, 312 of 1600 done; 1600 brushes". */
static void append_activity(char text[MESSAGE])
{
    pthread_mutex_lock(&run.lock);
    struct activity activity = run.is_time_over ? run.last : run.activity;
    pthread_mutex_unlock(&run.lock);
    const char *stage = *activity.stage ? activity.stage : run.options.program;
    if (*activity.phase)
        append(text, "%s \"%s\" of %s", activity.in_phase ? "in" : "after", activity.phase, stage);
    else
        append(text, "at the start of %s", stage);
    if (activity.in_phase && activity.total > 1)
        append(text, ", %zu of %zu done", activity.done, activity.total);
    for (size_t i = 0; i < activity.size_count; i++)
        append(text, "%s%" PRId64 " %s", i ? ", " : "; so far ", activity.sizes[i].value,
               activity.sizes[i].name);
}

static size_t megabytes(size_t bytes)
{
    return bytes / MEGABYTE + (bytes % MEGABYTE != 0);
}

static void describe_refusal(const struct memory_refusal *refusal, char text[MESSAGE])
{
    if (refusal->by_limit)
        append(text, "--max-memory %zu MB: %zu MB in use and %zu MB asked, ",
               megabytes(refusal->limit), megabytes(refusal->used), megabytes(refusal->asked));
    else if (refusal->asked)
        append(text, "%zu MB asked, %zu MB in use, ", megabytes(refusal->asked),
               megabytes(refusal->used));
    else
        append(text, "%zu MB in use, ", megabytes(refusal->used));
    append_activity(text);
}

static void describe_time(char text[MESSAGE])
{
    append(text, "--max-time %g seconds: ", run.options.seconds);
    append_activity(text);
}

/* Before there are writers. Allocates nothing. */
static void tell_plainly(int code, const char *message)
{
    const struct diag_info *info = diag_info(code);
    char text[2 * MESSAGE];
    int size = snprintf(text, sizeof text, "%s: error %s: %s: %s\n  fix: %s\n", run.options.program,
                        info->code, info->title, message, info->fix);
    const unsigned length = (size_t)size < sizeof text ? (unsigned)size : sizeof text - 1;
    (void)!write(STDERR_FILENO, text, length);
}

static void tell_all(int code, const char *message, enum status status)
{
    const struct diag_last last = {code, message, status};
    if (!run.options.writer_count)
        tell_plainly(code, message);
    for (size_t i = 0; i < run.options.writer_count; i++)
        diag_writer_last(run.options.writers[i], &last);
}

static void tell_refusal(const struct memory_refusal *refusal)
{
    char text[MESSAGE] = "";
    describe_refusal(refusal, text);
    if (refusal->by_limit)
        tell_all(DIAG_BOUND_REACHED, text, STATUS_BOUND);
    else
        tell_all(DIAG_OUT_OF_MEMORY, text, STATUS_INTERNAL);
}

static double grace(bool saves)
{
    double share = run.options.seconds * GRACE_SHARE;
    if (!saves)
        return SHORT_GRACE_SECONDS;
    return share > MIN_GRACE_SECONDS ? share : MIN_GRACE_SECONDS;
}

/* A heartbeat_call. */
static double end_of_time(void *context)
{
    char text[MESSAGE] = "";
    (void)context;
    pthread_mutex_lock(&run.lock);
    bool may_end_itself = run.stop && !run.is_time_over;
    if (may_end_itself)
        run.last = run.activity;
    run.is_time_over |= may_end_itself;
    bool saves = run.saves;
    pthread_mutex_unlock(&run.lock);
    if (may_end_itself) {
        *run.stop = 1;
        return grace(saves);
    }
    describe_time(text);
    tell_all(DIAG_BOUND_REACHED, text, STATUS_BOUND);
    ending_run();
    _Exit(STATUS_BOUND);
}

/* An ending_teller. */
static void tell_fault(const char *fault)
{
    char text[MESSAGE] = "";
    append(text, "%s, ", fault);
    append_activity(text);
    tell_all(DIAG_INTERNAL, text, STATUS_INTERNAL);
}

/* In the thread that aborts, so the locks of this file are free. */
static void on_abort(int number)
{
    (void)number;
    tell_fault("a library ended the run, as most do when they get no memory or thread");
    ending_run();
    _Exit(STATUS_INTERNAL);
}

void bounds_prepare(const char *program)
{
    signals_on_abort(on_abort);
    run.options = (struct bounds_options){.program = program};
    memory_set_teller(tell_refusal);
    ending_set_teller(tell_fault);
}

void bounds_begin(const struct bounds_options *options)
{
    run.options = *options;
    run.activity = (struct activity){0};
    run.is_time_over = run.saves = false;
    memory_set_limit(options->memory);
    memory_set_teller(tell_refusal);
}

void bounds_watch(void)
{
    if (!(run.options.seconds > 0))
        return;
    run.watch = heartbeat_start(run.options.seconds, end_of_time, NULL);
    if (!run.watch)
        memory_refused(0);
}

void bounds_end(void)
{
    heartbeat_stop(run.watch);
    run.watch = NULL;
    run.stop = NULL;
    memory_set_limit(0);
    run.options = (struct bounds_options){.program = run.options.program};
}

void bounds_ask_to_stop(volatile sig_atomic_t *stop)
{
    run.stop = stop;
}

void bounds_saves(bool saves)
{
    pthread_mutex_lock(&run.lock);
    run.saves = saves;
    pthread_mutex_unlock(&run.lock);
}

enum status bounds_verdict(struct diag *diag, enum status status)
{
    char text[MESSAGE] = "";
    pthread_mutex_lock(&run.lock);
    bool is_time_over = run.is_time_over;
    pthread_mutex_unlock(&run.lock);
    if (!is_time_over || status == STATUS_OK)
        return status;
    describe_time(text);
    (void)diag_report(diag, DIAG_BOUND_REACHED, NULL, "%s", text);
    return STATUS_BOUND;
}
