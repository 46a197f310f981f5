#include "common/farm/env_loop.h"

#include "common/farm/loop_journal.h"
#include "common/farm/ranks_state.h"

const volatile sig_atomic_t *env_agree_to_stop(struct ranks *ranks,
                                               const volatile sig_atomic_t *asked)
{
    ranks->asked = asked;
    ranks->stopped = 0;
    return &ranks->stopped;
}

void env_loop(const struct env *env, const struct ranks_loop *loop)
{
    if (ranks_count(env->ranks) == 1 && loop_journal_is_open(env->journal)) {
        loop_journal_run(env->journal, env, loop);
        return;
    }
    if (ranks_count(env->ranks) == 1) {
        parallel_for_until(env->stop, env->threads, loop->count, loop->item, loop->context);
        return;
    }
    struct ranks_loop all = *loop;
    all.stop = env->ranks->asked;
    if (!ranks_for(env->ranks, env->threads, &all))
        env->ranks->stopped = 1;
}

static void no_item(void *context, size_t index, int thread)
{
    (void)context;
    (void)index;
    (void)thread;
}

void env_exchange(const struct env *env, void *context, ranks_pack_rest *pack_own,
                  ranks_unpack_rest *unpack_own)
{
    if (ranks_count(env->ranks) == 1)
        return;
    const struct ranks_loop loop = {
        .item = no_item, .context = context, .pack_rest = pack_own, .unpack_rest = unpack_own};
    if (!ranks_for(env->ranks, 1, &loop))
        env->ranks->stopped = 1;
}
