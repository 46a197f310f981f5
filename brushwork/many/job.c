#include "brushwork/many/job.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/core/array.h"
#include "common/core/clock.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/diag/codes/surroundings.def"
#include "common/diag/diag_json.h"
#include "common/diag/diag_json_read.h"

/* main has arguments that may be written to, and no program writes to them. */
static void add(char ***argv, struct arena *arena, const char *word)
{
    char *copy = word ? arena_strdup(arena, word) : NULL;
    arrput(*argv, copy);
}

int job_start(struct job *job, const struct many *many, double seconds, bool is_joined, int shared)
{
    struct arena arena = {0};
    char **argv = NULL;
    const char *const own[] = {"brushwork", "build", "--job", job->map, job->output};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        add(&argv, &arena, own[i]);
    add(&argv, &arena, arena_printf(&arena, "%d", job->threads));
    add(&argv, &arena, arena_printf(&arena, "%.3f", seconds));
    add(&argv, &arena, arena_printf(&arena, "%d", child_shared(shared)));
    for (int i = 1; i < many->end; i++)
        add(&argv, &arena, many->argv[i]);
    for (size_t i = 0; i < job->word_count; i++)
        add(&argv, &arena, job->words[i]);
    add(&argv, &arena, "--");
    add(&argv, &arena, job->map);
    add(&argv, &arena, NULL);
    job->start = clock_seconds(CLOCK_MONOTONIC);
    int error = child_start(&job->child, argv, is_joined, shared);
    if (!error)
        job->state = JOB_RUNNING;
    arrfree(argv);
    arena_free(&arena);
    return error;
}

void job_report(struct job *job, const struct env *env, int code, const char *text)
{
    const struct diag_where where = {.file = job->map};
    (void)diag_report(env->diag, code, &where, "%s", text);
    if (job->said)
        (void)diag_report(job->said, code, &where, "%s", text);
}

struct taking {
    struct job *job;
    const struct program *program;
    struct arena arena;
};

static void take_files(struct taking *taking, const json_t *result)
{
    struct run_summary *summary = console_summary(taking->program->console);
    const json_t *files = json_object_get(result, "files");
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *file = json_array_get(files, i);
        const char *path = json_string_value(json_object_get(file, "path"));
        if (path)
            run_summary_file(summary, path, json_integer_value(json_object_get(file, "bytes")));
    }
}

static void take_result(struct taking *taking, const json_t *result)
{
    char *text = json_dumps(result, JSON_COMPACT | JSON_REAL_PRECISION(6));
    struct arena *arena = &taking->program->result->texts;
    taking->job->result = text ? arena_strdup(arena, text) : NULL;
    memory_free(text);
    taking->job->errors = (size_t)json_integer_value(json_object_get(result, "errors"));
    taking->job->warnings = (size_t)json_integer_value(json_object_get(result, "warnings"));
    take_files(taking, result);
}

static void print_line(const void *context, FILE *out)
{
    fprintf(out, "%s\n", (const char *)context);
}

/* Messages that name no file are about the map. */
static void take_line(struct taking *taking, const char *line)
{
    struct console *console = taking->program->console;
    json_t *object = json_loads(line, 0, NULL);
    const json_t *result = json_object_get(object, "result");
    struct diag_entry entry;
    if (diag_json_read(object, &taking->arena, &entry)) {
        if (!entry.where.file)
            entry.where.file = taking->job->map;
        console_take(console, &entry);
        if (taking->job->said)
            (void)diag_report_as(taking->job->said, entry.severity, entry.code, &entry.where, "%s",
                                 entry.message);
    } else if (json_is_object(result)) {
        take_result(taking, result);
    } else if (json_object_get(object, "limit")) {
        console_lines(console, print_line, line);
    }
    json_decref(object);
}

static void take_lines(struct taking *taking)
{
    struct bytes *text = &taking->job->child.texts[CHILD_TOLD];
    bytes_append(text, "", 1);
    for (char *line = (char *)text->data, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        if (!end)
            return; /* cut off */
        *end = 0;
        take_line(taking, line);
    }
}

/* Signals end a process without a status, and a status that none of ours has is that of a library.
 */
static enum status status_of(struct job *job, const struct program *program, bool is_stopped)
{
    const struct child *child = &job->child;
    const struct env *env = program->env;
    struct arena arena = {0};
    if (child->error)
        job_report(job, env, DIAG_MAP_ENDED,
                   arena_printf(&arena, "what it has said cannot be read: %s",
                                str_error(child->error).text));
    enum status found = child_has_status(child) ? (enum status)child->status : STATUS_INTERNAL;
    if (child->signal && is_stopped)
        found = STATUS_FAILED;
    else if (child->signal)
        job_report(job, env, DIAG_MAP_ENDED,
                   arena_printf(&arena, "by signal %d (%s)", child->signal,
                                child_signal_text(child->signal)));
    else if (!child_has_status(child))
        job_report(job, env, DIAG_MAP_ENDED, arena_printf(&arena, "with status %d", child->status));
    arena_free(&arena);
    return found;
}

void job_take(struct job *job, const struct program *program, bool is_stopped)
{
    struct taking taking = {.job = job, .program = program};
    job->state = JOB_ENDED;
    job->wall = clock_seconds(CLOCK_MONOTONIC) - job->start;
    console_pass_on(program->console, &job->child.texts[CHILD_OUT], &job->child.texts[CHILD_ERR]);
    take_lines(&taking);
    job->status = status_of(job, program, is_stopped);
    child_free(&job->child);
    arena_free(&taking.arena);
}

static const char *count_of(struct arena *arena, const char *before, size_t count, const char *of)
{
    return count ? arena_printf(arena, "%s%s%zu %s%s", before, *before ? ", " : "", count, of,
                                count == 1 ? "" : "s")
                 : before;
}

static void say_job(const struct job *job, struct console *console, int width, struct arena *arena)
{
    const char *counts = count_of(arena, "", job->errors, "error");
    counts = count_of(arena, counts, job->warnings, "warning");
    if (job->state == JOB_WAITING)
        console_say(console, "  %-*s  not started", width, job->map);
    else
        console_say(console, "  %-*s  %-8s %9.2f s %6zu MB%s%s", width, job->map,
                    diag_status_name(job->status), job->wall, job->child.peak_bytes >> 20,
                    *counts ? "  " : "", counts);
}

static void say_all(const struct job *jobs, struct console *console, double wall)
{
    struct arena arena = {0};
    size_t statuses[STATUS_BOUND + 1] = {0}, waiting = 0;
    double cpu = 0;
    int width = 0;
    for (size_t i = 0; i < arrlenu(jobs); i++) {
        int length = (int)strlen(jobs[i].map);
        width = length > width ? length : width;
    }
    console_say(console, "maps");
    for (size_t i = 0; i < arrlenu(jobs); i++) {
        say_job(&jobs[i], console, width, &arena);
        waiting += jobs[i].state == JOB_WAITING;
        statuses[jobs[i].status] += jobs[i].state == JOB_ENDED;
        cpu += jobs[i].child.cpu_seconds;
    }
    const char *list = "";
    for (int status = 0; status <= STATUS_BOUND; status++)
        if (statuses[status])
            list = arena_printf(&arena, "%s%s%zu %s", list, *list ? ", " : "", statuses[status],
                                diag_status_name((enum status)status));
    if (waiting)
        list = arena_printf(&arena, "%s%s%zu not started", list, *list ? ", " : "", waiting);
    console_say(console, "  %zu: %s; %.2f s, %.2f s of CPU time", arrlenu(jobs), list, wall, cpu);
    arena_free(&arena);
}

void jobs_report(struct job *jobs, struct console *console, double wall)
{
    for (size_t i = 0; i < arrlenu(jobs); i++) {
        const struct job *job = &jobs[i];
        run_summary_job(console_summary(console),
                        &(struct summary_job){.map = job->map,
                                              .started = job->state == JOB_ENDED,
                                              .status = job->status,
                                              .wall = job->wall,
                                              .cpu = job->child.cpu_seconds,
                                              .peak_bytes = (int64_t)job->child.peak_bytes,
                                              .result = job->result});
    }
    say_all(jobs, console, wall);
}
