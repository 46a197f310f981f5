#include "common/farm/farm.h"

#include <string.h>

#include "common/core/float_mode.h"
#include "common/core/memory.h"
#include "common/farm/rank_values.h"
#include "common/farm/ranks_state.h"

static const char the_end[] = "";

static void send(struct ranks *ranks, const char *stage, const struct bytes *inputs)
{
    struct bytes job = {0};
    bytes_sized_text(&job, stage);
    bytes_i32(&job, ranks->settings.threads);
    bytes_u64(&job, ranks->settings.max_memory);
    ranks_broadcast(ranks, &job);
    bytes_free(&job);
    if (inputs) {
        struct bytes borrowed = *inputs;
        ranks_broadcast(ranks, &borrowed);
    }
}

void farm_begin(const struct env *env, const char *stage, const struct bytes *inputs)
{
    env->ranks->before = ranks_use(env->ranks);
    env->ranks->stop = env->stop;
    send(env->ranks, stage, inputs);
}

bool farm_stopped(const struct env *env)
{
    const struct ranks *ranks = env->ranks;
    return farm_is_there(env) ? ranks->was_stopped || ranks->stopped : env_stopped(env);
}

void farm_count(const struct env *env)
{
    struct ranks *ranks = env->ranks;
    if (ranks_count(ranks) == 1)
        return;
    struct ranks_use now = ranks_use(ranks);
    struct bytes mine = {0};
    bytes_u64(&mine, (uint64_t)(1e3 * (now.cpu_seconds - ranks->before.cpu_seconds)));
    bytes_u64(&mine, now.sent - ranks->before.sent);
    struct ranks_parts parts = ranks_gather(ranks, &mine);
    bytes_free(&mine);
    int64_t cpu = 0, max = 0, sent = 0;
    struct byte_reader in = byte_reader(parts.all.data, parts.all.size);
    for (int i = 0; i < ranks_count(ranks); i++) {
        int64_t used = rank_count(&in);
        sent += rank_count(&in);
        cpu += used;
        max = used > max ? used : max;
    }
    if (in.failed || in.at != in.size)
        ranks_fail(ranks, "counts of another rank are damaged");
    ranks_parts_free(&parts);
    progress_count(env->progress, "ranks", ranks_count(ranks));
    progress_count(env->progress, "bytes sent between ranks", sent);
    progress_count(env->progress, "CPU milliseconds of all ranks", cpu);
    progress_count(env->progress, "CPU milliseconds of the busiest rank", max);
}

void farm_end(struct ranks *ranks)
{
    if (ranks_count(ranks) > 1)
        send(ranks, the_end, NULL);
}

void farm_set(struct ranks *ranks, const struct farm_settings *settings)
{
    if (ranks)
        ranks->settings = *settings;
}

void farm_set_share(struct ranks *ranks, int share)
{
    ranks->share = share;
}

int farm_share(const struct ranks *ranks)
{
    return ranks->share;
}

static void work(struct ranks *ranks, const struct farm_stage *stage,
                 const volatile sig_atomic_t *stop)
{
    struct bytes inputs = {0};
    ranks->before = ranks_use(ranks);
    ranks->stop = stop;
    ranks_broadcast(ranks, &inputs);
    int threads = ranks->settings.threads;
    struct env env = {
        .diag = diag_new(NULL, NULL),
        .fs = fs_memory_new(),
        .threads = threads > 0 ? threads : ranks->share,
        .stop = stop,
        .ranks = ranks,
    };
    struct byte_reader reader = byte_reader(inputs.data, inputs.size);
    stage->work(&env, &reader);
    fs_memory_free(env.fs);
    diag_free(env.diag);
    bytes_free(&inputs);
}

static const struct farm_stage *find_stage(const struct farm_stage *stages,
                                           const struct bytes *name)
{
    for (const struct farm_stage *stage = stages; stage->name; stage++)
        if (strlen(stage->name) == name->size && memcmp(stage->name, name->data, name->size) == 0)
            return stage;
    return NULL;
}

bool farm_read_job(struct byte_reader *from, const struct farm_stage *stages,
                   struct farm_settings *settings, const struct farm_stage **stage)
{
    struct bytes name = {0};
    bool is_named = read_sized_block(from, &name);
    *stage = is_named ? find_stage(stages, &name) : NULL;
    settings->threads = read_i32(from);
    settings->max_memory = (size_t)read_u64(from);
    bool fits = !from->failed && settings->threads >= 0 && settings->threads <= FARM_MAX_THREADS &&
                (*stage || !name.size);
    bytes_free(&name);
    return fits;
}

/* Reads a job up to its inputs; returns its stage, or NULL at the end. */
static const struct farm_stage *next_stage(struct ranks *ranks, const struct farm_stage *stages)
{
    struct bytes job = {0};
    const struct farm_stage *stage;
    ranks_broadcast(ranks, &job);
    struct byte_reader reader = byte_reader(job.data, job.size);
    if (!farm_read_job(&reader, stages, &ranks->settings, &stage))
        ranks_fail(ranks, "the first rank asks for a stage that this one does not know");
    bytes_free(&job);
    return stage;
}

struct serving {
    struct ranks *ranks;
    const struct farm_stage *stage;
    const volatile sig_atomic_t *stop;
};

static void serve_stage(void *context)
{
    const struct serving *serving = context;
    work(serving->ranks, serving->stage, serving->stop);
}

void farm_serve(struct ranks *ranks, const struct farm_stage *stages,
                const volatile sig_atomic_t *stop)
{
    struct serving serving = {.ranks = ranks, .stop = stop};
    struct float_mode mode;
    float_mode_begin(&mode);
    while ((serving.stage = next_stage(ranks, stages))) {
        int threads = ranks->settings.threads;
        memory_set_limit(ranks->settings.max_memory);
        parallel_stage(threads > 0 ? threads : ranks->share, serve_stage, &serving);
    }
    float_mode_end(&mode);
}
