/* realpath() is in the X/Open part of POSIX. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "brushwork/many/job.h"
#include "brushwork/many/jobserver.h"
#include "brushwork/many/memory_estimate.h"
#include "common/cli/signals.h"
#include "common/core/array.h"
#include "common/core/clock.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "vbsp/files.h"

/* Signals may go to another thread, so waiting has an end. */
enum { WAIT_MILLISECONDS = 200 };

struct crew {
    const struct program *program;
    const struct many *many;
    struct arena arena;
    struct job *jobs; /* stb_ds array, in the order of the command line */
    size_t next;      /* job to start */
    size_t running;
    size_t limit; /* of jobs at once */
    bool is_make; /* further jobs need a byte of the jobserver */
    bool is_joined;
    bool has_failed, is_stopped;
    double start;
    struct pollfd *polls; /* stb_ds array */
};

/* --- the plan --- */

static enum status add_map(struct crew *crew, const char *operand, const char *folder)
{
    const struct env *env = crew->program->env;
    struct vbsp_files files;
    TRY(vbsp_files_find(env, operand, NULL, &crew->arena, &files));
    struct job job = {.map = files.level, .output = files.bsp};
    if (folder)
        job.output = arena_printf(&crew->arena, "%s/%s", folder, path_name(files.bsp));
    job.is_map = strcmp(vbsp_level_extension(files.level), ".map") == 0;
    if (env->fs->ops->size(env->fs, files.level, &job.bytes) != 0)
        job.bytes = 0; /* its process reports that */
    arrput(crew->jobs, job);
    return STATUS_OK;
}

/* The output's path without links in its folder. */
static const char *key_of(struct crew *crew, const struct job *job)
{
    char *folder = realpath(path_folder(&crew->arena, job->output), NULL);
    const char *key =
        folder ? arena_printf(&crew->arena, "%s/%s", folder, path_name(job->output)) : job->output;
    free(folder);
    return key;
}

struct output {
    const char *key;
    const struct job *job;
};

static int compare_outputs(const void *a, const void *b)
{
    return strcmp(((const struct output *)a)->key, ((const struct output *)b)->key);
}

static enum status refuse_same_outputs(struct crew *crew)
{
    enum status status = STATUS_OK;
    struct output *outputs = NULL;
    for (size_t i = 0; i < arrlenu(crew->jobs); i++)
        arrput(outputs, ((struct output){key_of(crew, &crew->jobs[i]), &crew->jobs[i]}));
    qsort(outputs, arrlenu(outputs), sizeof *outputs, compare_outputs);
    for (size_t i = 1; i < arrlenu(outputs); i++)
        if (strcmp(outputs[i - 1].key, outputs[i].key) == 0) {
            (void)diag_report(crew->program->env->diag, DIAG_USAGE, NULL,
                              "%s and %s have the same output, %s", outputs[i - 1].job->map,
                              outputs[i].job->map, outputs[i].job->output);
            status = STATUS_USAGE;
        }
    arrfree(outputs);
    return status;
}

static enum status plan(struct crew *crew, const char *folder)
{
    const struct env *env = crew->program->env;
    const char *const *operands = crew->program->result->operands;
    for (size_t i = 0; i < arrlenu(operands); i++)
        TRY(add_map(crew, operands[i], folder));
    TRY(refuse_same_outputs(crew));
    return folder ? fs_prepare_output(env->fs, env->diag, crew->jobs[0].output) : STATUS_OK;
}

/* --- starting --- */

/* Those that are free, shared by the jobs that may still start beside those that run. */
static int threads_for_next(const struct crew *crew)
{
    const int all = crew->program->env->threads;
    size_t slots = crew->limit - crew->running, waiting = arrlenu(crew->jobs) - crew->next;
    int used = 0;
    for (size_t i = 0; i < crew->next; i++)
        used += crew->jobs[i].state == JOB_RUNNING ? crew->jobs[i].threads : 0;
    slots = slots < waiting ? slots : waiting;
    int share = (all - used) / (int)(slots ? slots : 1);
    return share > 1 ? share : 1;
}

static bool has_memory(const struct crew *crew, uint64_t estimate)
{
    uint64_t used = estimate;
    for (size_t i = 0; i < crew->next; i++)
        used += crew->jobs[i].state == JOB_RUNNING ? crew->jobs[i].estimate : 0;
    return !crew->running || !crew->many->memory || used <= crew->many->memory;
}

static double seconds_left(const struct crew *crew)
{
    return crew->many->seconds - (clock_seconds(CLOCK_MONOTONIC) - crew->start);
}

static bool is_over(const struct crew *crew)
{
    return crew->many->seconds > 0 && seconds_left(crew) <= 0;
}

static bool wants_more(const struct crew *crew)
{
    const bool may_go_on = crew->many->options.keep_going || !crew->has_failed;
    return crew->next < arrlenu(crew->jobs) && may_go_on && !crew->is_stopped && !is_over(crew);
}

/* Without a process there is no map; the others may do. */
static void report_not_started(struct crew *crew, struct job *job, int error)
{
    (void)diag_report(crew->program->env->diag, DIAG_MAP_ENDED,
                      &(struct diag_where){.file = job->map}, "not started: %s",
                      str_error(error).text);
    job->state = JOB_ENDED;
    job->status = STATUS_INTERNAL;
    crew->has_failed = true;
}

/* Returns true when a job was started, or has failed to. */
static bool start_next(struct crew *crew)
{
    struct job *job = &crew->jobs[crew->next];
    const int threads = threads_for_next(crew);
    const uint64_t estimate = memory_estimate(job->bytes, job->is_map, threads);
    if (crew->running >= crew->limit || !has_memory(crew, estimate))
        return false;
    if (crew->is_make && crew->running) {
        job->has_token = jobserver_take();
        if (!job->has_token)
            return false;
    }
    job->threads = threads;
    job->estimate = estimate;
    double seconds = crew->many->seconds > 0 ? seconds_left(crew) : 0;
    int error = job_start(job, crew->program, crew->many, seconds, crew->is_joined);
    crew->next++;
    if (error)
        report_not_started(crew, job, error);
    else
        crew->running++;
    if (error && job->has_token)
        jobserver_give();
    return true;
}

/* --- waiting --- */

static void wait_for_news(struct crew *crew)
{
    struct pollfd found[CHILD_STREAMS];
    arrsetlen(crew->polls, 0);
    for (size_t i = 0; i < crew->next; i++) {
        if (crew->jobs[i].state != JOB_RUNNING)
            continue;
        size_t count = child_polls(&crew->jobs[i].child, found);
        for (size_t k = 0; k < count; k++)
            arrput(crew->polls, found[k]);
    }
    if (crew->is_make && wants_more(crew) && crew->running < crew->limit)
        arrput(crew->polls, ((struct pollfd){.fd = jobserver_descriptor(), .events = POLLIN}));
    (void)poll(crew->polls, (nfds_t)arrlenu(crew->polls), WAIT_MILLISECONDS);
}

/* One job that runs has no byte: if another ends, that one passes its byte on. */
static void give_token(struct crew *crew, struct job *job)
{
    for (size_t i = 0; i < crew->next && !job->has_token; i++)
        if (crew->jobs[i].state == JOB_RUNNING && crew->jobs[i].has_token) {
            crew->jobs[i].has_token = false;
            job->has_token = true;
        }
    if (job->has_token)
        jobserver_give();
    job->has_token = false;
}

static void collect(struct crew *crew)
{
    for (size_t i = 0; i < crew->next; i++) {
        struct job *job = &crew->jobs[i];
        if (job->state != JOB_RUNNING || !child_read(&job->child))
            continue;
        crew->running--;
        job_take(job, crew->program, crew->is_stopped);
        give_token(crew, job);
        crew->has_failed |= job->status != STATUS_OK;
        progress_step(crew->program->env->progress);
    }
}

static void stop_if_asked(struct crew *crew)
{
    if (crew->is_stopped || !env_stopped(crew->program->env))
        return;
    crew->is_stopped = true;
    int number = signals_number();
    children_signal(number ? number : SIGTERM);
}

/* --- signals --- */

enum { ENDINGS = 3 };

static const int endings[ENDINGS] = {SIGINT, SIGTERM, SIGHUP};
static struct sigaction before[ENDINGS];

/* Of the second signal: the process ends at once, and what it shares with others is given back. */
static void end_at_once(int number)
{
    children_signal(number);
    jobserver_give_all();
    for (int i = 0; i < ENDINGS; i++)
        sigaction(endings[i], &before[i], NULL);
    raise(number);
}

static void catch_second_signals(void)
{
    struct sigaction action = {0};
    action.sa_handler = end_at_once;
    for (int i = 0; i < ENDINGS; i++) {
        sigaction(endings[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(endings[i], &action, NULL);
    }
}

/* --- the run --- */

static bool is_same_file(int a, int b)
{
    struct stat first, second;
    return fstat(a, &first) == 0 && fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static void set_limit(struct crew *crew, enum jobserver_state make)
{
    size_t asked = (size_t)crew->many->options.jobs, all = arrlenu(crew->jobs);
    crew->is_make = make == JOBSERVER_THERE;
    crew->limit = asked ? asked : crew->is_make ? CHILDREN_MAX : 1;
    if (make == JOBSERVER_LOST)
        crew->limit = 1;
    crew->limit = crew->limit < all ? crew->limit : all;
    crew->limit = crew->limit < CHILDREN_MAX ? crew->limit : CHILDREN_MAX;
}

static void work(struct crew *crew)
{
    struct progress *progress = crew->program->env->progress;
    progress_begin(progress, "maps", arrlenu(crew->jobs));
    while (crew->running || wants_more(crew)) {
        while (wants_more(crew) && start_next(crew))
            continue;
        if (crew->running)
            wait_for_news(crew);
        stop_if_asked(crew);
        collect(crew);
    }
    progress_end(progress);
}

static enum status worst_of(const struct crew *crew)
{
    static const enum status order[] = {STATUS_INTERNAL, STATUS_BOUND, STATUS_USAGE, STATUS_FAILED,
                                        STATUS_LEAK};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < arrlenu(crew->jobs); i++)
            if (crew->jobs[i].state == JOB_ENDED && crew->jobs[i].status == order[k])
                return order[k];
    return STATUS_OK;
}

static enum status verdict(struct crew *crew)
{
    if (crew->is_stopped)
        return STATUS_FAILED;
    if (crew->next == arrlenu(crew->jobs) || !is_over(crew))
        return worst_of(crew);
    (void)diag_report(crew->program->env->diag, DIAG_BOUND_REACHED, NULL,
                      "--max-time %g seconds: %zu of %zu maps were not started",
                      crew->many->seconds, arrlenu(crew->jobs) - crew->next, arrlenu(crew->jobs));
    return worst_of(crew) == STATUS_INTERNAL ? STATUS_INTERNAL : STATUS_BOUND;
}

enum status many_run(const struct program *program, const struct many *many, const char *output)
{
    struct crew crew = {.program = program, .many = many};
    crew.start = clock_seconds(CLOCK_MONOTONIC);
    crew.is_joined =
        console_shows_text(program->console) && is_same_file(STDOUT_FILENO, STDERR_FILENO);
    catch_second_signals();
    console_catch_signals(program->console);
    enum status status = plan(&crew, output);
    if (status == STATUS_OK) {
        set_limit(&crew, jobserver_open(getenv("MAKEFLAGS"), program->env->diag));
        work(&crew);
        jobserver_close();
        jobs_report(crew.jobs, program->console, clock_seconds(CLOCK_MONOTONIC) - crew.start);
        status = verdict(&crew);
    }
    arrfree(crew.jobs);
    arrfree(crew.polls);
    arena_free(&crew.arena);
    return status;
}
