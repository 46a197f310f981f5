/* A program of several ranks: one of them fails while the others wait for it. */
#include "common/cli/farm_start.h"

#define FAILING_RANK 1

static void wait_for_all(struct ranks *ranks)
{
    (void)ranks_any(ranks, true);
}

static void fail(const struct env *env, struct byte_reader *inputs)
{
    (void)inputs;
    if (ranks_rank(env->ranks) == FAILING_RANK)
        ranks_fail(env->ranks, "a rank that is to fail");
    wait_for_all(env->ranks);
}

static int begin_stage(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    const struct env env = {.ranks = farm_ranks()};
    if (!farm_is_there(&env))
        return STATUS_USAGE;
    farm_set(env.ranks, &(struct farm_settings){.threads = 1});
    farm_begin(&env, "fail", &(struct bytes){0});
    wait_for_all(env.ranks);
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    static const struct farm_stage stages[] = {{"fail", fail}, {NULL, NULL}};
    return farm_start(argc, argv, begin_stage, stages);
}
