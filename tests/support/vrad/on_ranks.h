/* vrad over ranks that are threads of the test. */
#ifndef TESTS_ON_RANKS_H
#define TESTS_ON_RANKS_H

#include <stdatomic.h>

#include "common/farm/farm.h"
#include "tests/support/thread_ranks.h"
#include "vrad/vrad.h"

struct ranked_run {
    const struct env *env;
    const struct vrad_options *options;
    struct vrad_session *session;
    struct assets *assets;
    struct bsp *bsp;
    enum status status;
    atomic_int faults; /* ranks that have done nothing */
};

/* A rank that has only said that it cannot begin has sent less. */
enum { SOME_BYTES = 100 };

static inline void run_on_rank(void *context, struct ranks *ranks)
{
    static const struct farm_stage stages[] = {{"vrad", vrad_work}, {NULL, NULL}};
    struct ranked_run *run = context;
    if (ranks_rank(ranks) > 0) {
        farm_serve(ranks, stages, NULL);
        atomic_fetch_add(&run->faults,
                         run->status == STATUS_OK && ranks_use(ranks).sent < SOME_BYTES);
        return;
    }
    struct env env = *run->env;
    env.ranks = ranks;
    farm_set(ranks, &(struct farm_settings){.threads = env.threads});
    run->status = vrad_run(&env, run->options, run->session, run->assets, run->bsp);
    farm_end(ranks);
}

/* vrad_run on so many ranks; up to one: without any. */
static inline enum status vrad_run_on_ranks(int count, const struct env *env,
                                            const struct vrad_options *options,
                                            struct assets *assets, struct bsp *bsp)
{
    struct ranked_run run = {.env = env, .options = options, .assets = assets, .bsp = bsp};
    if (count <= 1)
        return vrad_run(env, options, NULL, assets, bsp);
    thread_ranks_run(count, 0, run_on_rank, &run);
    assert_int_equal(atomic_load(&run.faults), 0);
    return run.status;
}

#endif
