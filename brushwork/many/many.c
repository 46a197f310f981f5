#include "brushwork/many/many.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "brushwork/many/job.h"
#include "brushwork/many/jobserver.h"
#include "brushwork/many/junit.h"
#include "brushwork/many/plan.h"
#include "brushwork/many/server_state.h"
#include "common/cli/signals.h"
#include "common/core/array.h"
#include "common/core/clock.h"
#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/diag/codes/bounds.def"
#include "common/diag/codes/map_lists.def"
#include "common/diag/codes/surroundings.def"
#include "common/diag/codes/usage.def"

/* --- memory --- */

/* How much memory a build takes at most, guessed from the size of its source before it is read.
 *
 * Peaks as the system counts them (maximum resident set), in megabytes, of `brushwork build` with
 * default options:
 *
 *     source                           size  1 thread   by the estimate
 *     box.vmf                         10 KB        14                25
 *     atrium.vmf                     164 KB        19                34
 *     pillars9.vmf                   134 KB        19                32
 *     areaportals.vmf                168 KB        19                34
 *     m03 (jump_byte_a3.vmf)         593 KB        48                60
 *     mid.vmf                       1031 KB        31                87
 *     big.vmf                       2841 KB        63               198
 *     oacmpdm8.map                   433 KB        68                90
 *
 * Each further thread takes about a megabyte. What it cannot see: instances, content of a game,
 * luxel sizes. It is made to be too large rather than too small: runs that are too many end for
 * lack of memory, runs that are too few take longer. Of 155 maps three took more,
 * all of less than 20 KB: displacements and large lit faces, 73 MB at most. */

enum {
    ESTIMATE_START = 24 << 20, /* bytes of a map of nothing */
    ESTIMATE_THREAD = 1 << 20, /* of each thread after the first */
    /* Bytes for each byte of the source. A side takes 80 bytes of text in a MAP, 350 in a VMF. */
    ESTIMATE_OF_VMF = 64,
    ESTIMATE_OF_MAP = 160,
};

static inline uint64_t memory_estimate(uint64_t source_bytes, bool is_map, int threads)
{
    uint64_t each = is_map ? ESTIMATE_OF_MAP : ESTIMATE_OF_VMF;
    return (uint64_t)ESTIMATE_START + source_bytes * each +
           (uint64_t)(threads > 1 ? threads - 1 : 0) * (uint64_t)ESTIMATE_THREAD;
}

/* --- the maps --- */

/* Signals may go to another thread, so waiting has an end. */
enum { WAIT_MILLISECONDS = 200 };

struct batch {
    const struct program *program;
    const struct many *many;
    struct arena arena;
    struct job *jobs; /* stb_ds array, in the order of the command line */
    size_t next;      /* job to start */
    size_t running;
    size_t limit; /* of jobs at once */
    bool is_make; /* further jobs need a byte of the jobserver */
    bool is_joined;
    bool has_failed, is_stopped, is_check;
    int shared; /* of the cache's server (server_state_new), or -1 */
    double start;
    const struct child **children; /* stb_ds array: that run */
};

/* --- starting --- */

/* Those that are free, shared by the jobs that may still start beside those that run. A byte of
 * Make stands for one. */
static int threads_for_next(const struct batch *batch)
{
    if (batch->is_make && !batch->many->has_threads)
        return 1;
    const int all = batch->program->env->threads;
    size_t slots = batch->limit - batch->running, waiting = arrlenu(batch->jobs) - batch->next;
    int used = 0;
    for (size_t i = 0; i < batch->next; i++)
        used += batch->jobs[i].state == JOB_RUNNING ? batch->jobs[i].threads : 0;
    slots = slots < waiting ? slots : waiting;
    int share = (all - used) / (int)(slots ? slots : 1);
    return share > 1 ? share : 1;
}

static bool has_memory(const struct batch *batch, uint64_t estimate)
{
    uint64_t used = estimate;
    for (size_t i = 0; i < batch->next; i++)
        used += batch->jobs[i].state == JOB_RUNNING ? batch->jobs[i].estimate : 0;
    return !batch->running || !batch->many->memory || used <= batch->many->memory;
}

static double seconds_left(const struct batch *batch)
{
    return batch->many->seconds - (clock_seconds(CLOCK_MONOTONIC) - batch->start);
}

static bool is_over(const struct batch *batch)
{
    return batch->many->seconds > 0 && seconds_left(batch) <= 0;
}

static bool wants_more(const struct batch *batch)
{
    const bool may_go_on = batch->many->options.keep_going || !batch->has_failed;
    return batch->next < arrlenu(batch->jobs) && may_go_on && !batch->is_stopped && !is_over(batch);
}

/* Without a process there is no map; the others may do. */
static void report_not_started(struct batch *batch, struct job *job, int error)
{
    job_report(job, batch->program->env, DIAG_MAP_ENDED,
               arena_printf(&batch->arena, "not started: %s", str_error(error).text));
    job->state = JOB_ENDED;
    job->status = STATUS_FAILED;
    batch->has_failed = true;
}

/* Returns true when a job was started, or has failed to. */
static bool start_next(struct batch *batch)
{
    struct job *job = &batch->jobs[batch->next];
    const int threads = threads_for_next(batch);
    const uint64_t estimate = memory_estimate(job->bytes, job->is_map, threads);
    if (batch->running >= batch->limit || !has_memory(batch, estimate))
        return false;
    if (batch->is_make && batch->running) {
        job->has_token = jobserver_take();
        if (!job->has_token)
            return false;
    }
    job->threads = threads;
    job->estimate = estimate;
    double seconds = batch->many->seconds > 0 ? seconds_left(batch) : 0;
    int error = job_start(job, batch->many, seconds, batch->is_joined, batch->shared);
    batch->next++;
    if (error)
        report_not_started(batch, job, error);
    else
        batch->running++;
    if (error && job->has_token)
        jobserver_give();
    return true;
}

/* --- waiting --- */

static void wait_for_news(struct batch *batch)
{
    const bool is_short = batch->is_make && wants_more(batch) && batch->running < batch->limit;
    arrsetlen(batch->children, 0);
    for (size_t i = 0; i < batch->next; i++)
        if (batch->jobs[i].state == JOB_RUNNING)
            arrput(batch->children, &batch->jobs[i].child);
    children_wait(batch->children, arrlenu(batch->children), is_short ? jobserver_descriptor() : -1,
                  WAIT_MILLISECONDS);
}

/* One job that runs has no byte: if another ends, that one passes its byte on. */
static void give_token(struct batch *batch, struct job *job)
{
    for (size_t i = 0; i < batch->next && !job->has_token; i++)
        if (batch->jobs[i].state == JOB_RUNNING && batch->jobs[i].has_token) {
            batch->jobs[i].has_token = false;
            job->has_token = true;
        }
    if (job->has_token)
        jobserver_give();
    job->has_token = false;
}

static void collect(struct batch *batch)
{
    for (size_t i = 0; i < batch->next; i++) {
        struct job *job = &batch->jobs[i];
        if (job->state != JOB_RUNNING || !child_read(&job->child))
            continue;
        batch->running--;
        job_take(job, batch->program, batch->is_stopped);
        give_token(batch, job);
        batch->has_failed |= job->status != STATUS_OK;
        progress_step(batch->program->env->progress);
    }
}

static void stop_if_asked(struct batch *batch)
{
    if (batch->is_stopped || !env_stopped(batch->program->env))
        return;
    batch->is_stopped = true;
    int number = signals_number();
    children_signal(number ? number : SIGTERM);
}

/* A signals_act: what the process shares with others is given back. */
static void end_children(int number)
{
    children_signal(number);
    jobserver_give_all();
}

/* --- the run --- */

static void set_limit(struct batch *batch, enum jobserver_state make)
{
    size_t asked = (size_t)batch->many->options.jobs, all = arrlenu(batch->jobs);
    batch->is_make = make == JOBSERVER_THERE;
    batch->limit = asked ? asked : batch->is_make ? CHILDREN_MAX : 1;
    if (make == JOBSERVER_LOST)
        batch->limit = 1;
    batch->limit = batch->limit < all ? batch->limit : all;
    batch->limit = batch->limit < CHILDREN_MAX ? batch->limit : CHILDREN_MAX;
}

static void work(struct batch *batch)
{
    struct progress *progress = batch->program->env->progress;
    progress_begin(progress, "maps", arrlenu(batch->jobs));
    while (batch->running || wants_more(batch)) {
        while (wants_more(batch) && start_next(batch))
            continue;
        if (batch->running)
            wait_for_news(batch);
        stop_if_asked(batch);
        collect(batch);
    }
    progress_end(progress);
}

static enum status worst_of(const struct batch *batch)
{
    static const enum status order[] = {STATUS_INTERNAL, STATUS_BOUND, STATUS_USAGE, STATUS_FAILED,
                                        STATUS_LEAK};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < arrlenu(batch->jobs); i++)
            if (batch->jobs[i].state == JOB_ENDED && batch->jobs[i].status == order[k])
                return order[k];
    return STATUS_OK;
}

static enum status verdict(struct batch *batch)
{
    if (batch->is_stopped)
        return STATUS_FAILED;
    if (batch->next == arrlenu(batch->jobs) || !is_over(batch))
        return worst_of(batch);
    (void)diag_report(batch->program->env->diag, DIAG_BOUND_REACHED, NULL,
                      "--max-time %g seconds: %zu of %zu maps were not started",
                      batch->many->seconds, arrlenu(batch->jobs) - batch->next,
                      arrlenu(batch->jobs));
    return worst_of(batch) == STATUS_INTERNAL ? STATUS_INTERNAL : STATUS_BOUND;
}

/* A map that was built has its output, also at the end of the run. */
static void look_for_outputs(struct batch *batch)
{
    const struct env *env = batch->program->env;
    for (size_t i = 0; i < arrlenu(batch->jobs) && !batch->is_check; i++) {
        struct job *job = &batch->jobs[i];
        const bool is_built = job->status == STATUS_OK || job->status == STATUS_LEAK;
        if (job->state != JOB_ENDED || !is_built ||
            env->fs->ops->kind(env->fs, job->output) == FS_FILE)
            continue;
        job_report(job, env, DIAG_OUTPUT_ABSENT,
                   arena_printf(&batch->arena, "%s is not there", job->output));
        job->status = STATUS_FAILED;
    }
}

static enum status build(struct batch *batch)
{
    const struct program *program = batch->program;
    for (size_t i = 0; i < arrlenu(batch->jobs) && batch->many->options.junit; i++)
        batch->jobs[i].said = diag_new(NULL, NULL);
    set_limit(batch, jobserver_open(getenv("MAKEFLAGS"), program->env->diag));
    struct cache_shared *shared = server_state_new(&batch->shared);
    work(batch);
    server_state_free(shared, batch->shared);
    jobserver_close();
    look_for_outputs(batch);
    jobs_report(batch->jobs, program->console, clock_seconds(CLOCK_MONOTONIC) - batch->start);
    return verdict(batch);
}

/* A plan that failed is a file, too: one of an earlier run would tell of other maps. */
static enum status write_junit(const struct batch *batch, enum status status)
{
    const char *path = batch->many->options.junit;
    if (!path)
        return status;
    enum status written = junit_write(batch->program->env, batch->jobs, status, path);
    return status == STATUS_OK ? written : status;
}

static enum status plan_and_build(struct batch *batch, const char *output)
{
    const struct many *many = batch->many;
    const struct env *env = batch->program->env;
    TRY(plan_jobs(env, many, output, &batch->arena, &batch->jobs));
    if (many->options.print_maps)
        return plan_print(env, batch->jobs, many->as_json);
    return build(batch);
}

static void end(struct batch *batch)
{
    for (size_t i = 0; i < arrlenu(batch->jobs); i++)
        diag_free(batch->jobs[i].said);
    arrfree(batch->jobs);
    arrfree(batch->children);
    arena_free(&batch->arena);
}

enum status many_run(const struct program *program, const struct many *many, const char *output,
                     bool is_check)
{
    struct batch batch = {.program = program, .many = many, .is_check = is_check, .shared = -1};
    if (program->env->ranks) {
        (void)diag_report(program->env->diag, DIAG_USAGE, NULL,
                          "several ranks compile one map; start a job for each of the maps");
        return STATUS_USAGE;
    }
    batch.start = clock_seconds(CLOCK_MONOTONIC);
    batch.is_joined = console_shows_text(program->console) && child_outputs_are_joined();
    signals_before_end(end_children);
    console_catch_signals(program->console);
    if (many->options.print_maps)
        console_quiet(program->console);
    enum status status = write_junit(&batch, plan_and_build(&batch, output));
    end(&batch);
    return status;
}
