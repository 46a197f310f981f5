#include "tests/support/suite.h"

#include <stdatomic.h>
#include <string.h>

#include "common/cli/farm_start.h"
#include "common/farm/farm.h"
#include "tests/support/thread_ranks.h"

enum { THREADS = 3 };

static atomic_int sums, faults;

/* Collective: the sum of what rank 0 sent, times the number of ranks. */
static int64_t add(const struct env *env, int64_t number)
{
    ranks_sum(env->ranks, &number, 1);
    return number;
}

static void add_on_worker(const struct env *env, struct byte_reader *inputs)
{
    int64_t number = read_i32(inputs);
    atomic_fetch_add(&faults, inputs->failed || inputs->at != inputs->size);
    atomic_fetch_add(&faults, env->threads != THREADS || !env->diag || !env->fs || env->progress);
    atomic_fetch_add(&sums, (int)add(env, number));
}

static void nothing_on_worker(const struct env *env, struct byte_reader *inputs)
{
    (void)env;
    atomic_fetch_add(&faults, inputs->size != 0);
}

static const struct farm_stage stages[] = {
    {"nothing", nothing_on_worker}, {"add", add_on_worker}, {NULL, NULL}};

static void run_rank(void *context, struct ranks *ranks)
{
    (void)context;
    if (ranks_rank(ranks) > 0) {
        farm_serve(ranks, stages, NULL);
        return;
    }
    const struct env env = {.ranks = ranks};
    struct bytes inputs = {0}, none = {0};
    farm_set(ranks, &(struct farm_settings){.threads = THREADS});
    atomic_fetch_add(&faults, farm_is_there(&env) != (ranks_count(ranks) > 1));
    bytes_i32(&inputs, 7);
    for (int i = 0; i < 2 && farm_is_there(&env); i++) {
        farm_begin(&env, "nothing", &none);
        farm_begin(&env, "add", &inputs);
        atomic_fetch_add(&sums, (int)add(&env, 7));
    }
    bytes_free(&inputs);
    farm_end(ranks);
}

static void stages_run_on_all_ranks(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 3, 5, 8};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        atomic_store(&sums, 0);
        thread_ranks_run(counts[i], 0, run_rank, NULL);
        assert_int_equal(atomic_load(&sums), counts[i] > 1 ? 2 * 7 * counts[i] * counts[i] : 0);
    }
    assert_int_equal(atomic_load(&faults), 0);
}

static void without_ranks_there_is_no_farm(void **state)
{
    (void)state;
    const struct env env = {.ranks = NULL};
    assert_false(farm_is_there(&env));
    farm_set(NULL, &(struct farm_settings){.threads = THREADS});
    farm_end(NULL);
}

/* --- launch --- */

/* "NAME=VALUE" of the environment, up to NULL. */
static const char *const *variables;

static const char *lookup(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; variables[i]; i++)
        if (strncmp(variables[i], name, length) == 0 && variables[i][length] == '=')
            return variables[i] + length + 1;
    return NULL;
}

enum { VARIABLES = 4 };

static void launchers_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *set[VARIABLES];
        int rank, count;
        const char *by;
    } cases[] = {
        {{NULL}, 0, 1, NULL},
        {{"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=8"}, 3, 8, "OMPI_COMM_WORLD_RANK"},
        {{"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1"}, 0, 1, "OMPI_COMM_WORLD_RANK"},
        {{"PMIX_RANK=2", "SLURM_STEP_NUM_TASKS=16"}, 2, 16, "PMIX_RANK"},
        {{"PMIX_RANK=2"}, 2, 0, "PMIX_RANK"},
        {{"PMI_RANK=1", "PMI_SIZE=4"}, 1, 4, "PMI_RANK"},
        /* a step of Slurm without MPI: programs that know nothing of each other */
        {{"SLURM_PROCID=2", "SLURM_STEP_NUM_TASKS=16"}, 0, 1, NULL},
        {{"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=8", "BRUSHWORK_MPI=0"}, 0, 1, NULL},
        {{"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=8", "BRUSHWORK_MPI=1"},
         3,
         8,
         "OMPI_COMM_WORLD_RANK"},
        {{"OMPI_COMM_WORLD_RANK=x", "OMPI_COMM_WORLD_SIZE=8"}, 0, 1, NULL},
        {{"PMI_RANK=1", "PMI_SIZE=-4"}, 1, 0, "PMI_RANK"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        variables = cases[i].set;
        struct launch launch = launch_find(lookup);
        assert_int_equal(launch.rank, cases[i].rank);
        assert_int_equal(launch.count, cases[i].count);
        assert_true(!launch.by == !cases[i].by);
        if (launch.by)
            assert_string_equal(launch.by, cases[i].by);
    }
}

SUITE(test_farm)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_run_on_all_ranks),
        cmocka_unit_test(without_ranks_there_is_no_farm),
        cmocka_unit_test(launchers_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
