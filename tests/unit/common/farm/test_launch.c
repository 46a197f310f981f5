#include "tests/support/suite.h"

#include <string.h>

#include "common/farm/launch.h"

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

SUITE(test_launch)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(launchers_are_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
