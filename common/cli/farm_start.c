#include "common/cli/farm_start.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/bounds.h"
#include "common/cli/command_line.h"
#include "common/cli/signals.h"
#include "common/cli/version.h"
#include "common/core/environment.h"
#include "common/core/module.h"
#include "common/core/stack.h"
#include "common/diag/codes/cache.def"
#include "common/farm/mpi_module.h"
#include "common/parallel/cpu_count.h"

static const struct launcher {
    const char *rank, *count; /* variables */
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},
    {"PMI_RANK", "PMI_SIZE"},
};

/* --- launchers --- */

/* Returns -1 without a number. */
static int number(launch_lookup *lookup, const char *name)
{
    const char *text = lookup(name);
    char *end;
    if (!text)
        return -1;
    int64_t value = strtoll(text, &end, 10);
    return end != text && !*end && value >= 0 && value < 1 << 30 ? (int)value : -1;
}

struct launch launch_find(launch_lookup *lookup)
{
    const char *choice = lookup("BRUSHWORK_MPI");
    if (choice && strcmp(choice, "0") == 0)
        return (struct launch){.count = 1};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        int rank = number(lookup, launchers[i].rank), count = number(lookup, launchers[i].count);
        if (rank < 0)
            continue;
        return (struct launch){rank, count > 0 ? count : 0, launchers[i].rank};
    }
    return (struct launch){.count = 1};
}

/* The process is a rank as a whole, so this is of the process too. */
static struct {
    struct launch launch;
    struct ranks *ranks;
    const struct mpi_functions *mpi;
    struct mpi_world world;
    char name[64];    /* of another rank than 0, for messages */
    char fault[1024]; /* why the ranks cannot reach each other; "": they can */
} farm;

static const char *variable(const char *name)
{
    return getenv(name); // NOLINT(concurrency-mt-unsafe): before there are threads
}

static void set_fault(const struct launch *launch, const char *why)
{
    (void)snprintf(farm.fault, sizeof farm.fault, "%s says that this is one of several ranks; %s",
                   launch->by, why);
}

/* Ranks of different releases would not do the same. */
static void compare_releases(const struct launch *launch)
{
    struct bytes mine = {.data = (unsigned char *)program_version, .size = strlen(program_version)};
    struct ranks_parts parts = ranks_gather(farm.ranks, &mine);
    for (int i = 0; i < ranks_count(farm.ranks) && !*farm.fault; i++)
        if (parts.first[i + 1] - parts.first[i] != mine.size ||
            memcmp(parts.all.data + parts.first[i], mine.data, mine.size) != 0)
            set_fault(launch, "they are of different releases of Brushwork");
    ranks_parts_free(&parts);
}

static void share_cpus(void)
{
    struct cpu_seat seat;
    cpu_seat_of_process(&seat);
    const struct bytes mine = {.data = (unsigned char *)&seat, .size = sizeof seat};
    struct ranks_parts parts = ranks_gather(farm.ranks, &mine);
    farm_set_share(farm.ranks, cpu_share((const struct cpu_seat *)(void *)parts.all.data,
                                         ranks_count(farm.ranks), ranks_rank(farm.ranks)));
    ranks_parts_free(&parts);
}

static void join_ranks(const struct launch *launch)
{
    char why[512] = "";
    struct module module = module_load("mpi", MPI_MODULE_ABI);
    if (!module.functions) {
        (void)snprintf(why, sizeof why, "the module for MPI cannot be loaded: %.400s",
                       module.reason);
        set_fault(launch, why);
        return;
    }
    farm.mpi = module.functions;
    if (farm.mpi->begin(&farm.world, why, sizeof why) != 0) {
        set_fault(launch, why);
        return;
    }
    farm.ranks = ranks_new(farm.world.ops, farm.world.self, farm.world.rank, farm.world.count);
    if (launch->count > 0 && launch->count != farm.world.count) {
        set_fault(launch,
                  "its launcher is of another MPI than the module of Brushwork, or srun was "
                  "started without --mpi=pmix");
        return;
    }
    compare_releases(launch);
    share_cpus();
    /* programs that this one starts are no ranks */
    environment_set("BRUSHWORK_MPI", "0");
}

bool farm_is_launched(void)
{
    return farm.launch.by != NULL;
}

struct ranks *farm_ranks(void)
{
    return ranks_count(farm.ranks) > 1 && ranks_rank(farm.ranks) == 0 ? farm.ranks : NULL;
}

enum status farm_check(struct diag *diag)
{
    return *farm.fault ? diag_report(diag, DIAG_NO_RANKS, NULL, "%s", farm.fault) : STATUS_OK;
}

/* A lack of memory is told by the rank that has it. */
static void name_rank(const char *path, int rank)
{
    const char *slash = strrchr(path, '/');
    (void)snprintf(farm.name, sizeof farm.name, "%.40s, rank %d", slash ? slash + 1 : path, rank);
    bounds_prepare(farm.name);
}

/* Rank 0 tells what is wrong, so the others only leave. */
static int run(const struct launch *launch, int argc, char **argv, farm_program *program,
               const struct farm_stage *stages)
{
    int status = 0, rank = farm.ranks ? ranks_rank(farm.ranks) : launch->rank;
    if (*farm.fault)
        return launch->rank == 0 ? program(argc, argv) : 0;
    if (rank == 0) {
        status = program(argc, argv);
        farm_end(farm.ranks);
    } else {
        name_rank(argv[0], rank);
        farm_serve(farm.ranks, stages, signals_catch());
    }
    return status;
}

struct start {
    int argc;
    char **argv;
    farm_program *program;
    const struct farm_stage *stages;
};

/* Runs on the stack that stack_call gives. */
static int run_all(void *context)
{
    const struct start *start = context;
    farm.launch = launch_find(variable);
    if (farm.launch.count != 1)
        join_ranks(&farm.launch);
    int status = run(&farm.launch, start->argc, start->argv, start->program, start->stages);
    if (farm.ranks)
        farm.mpi->end(farm.world.self);
    ranks_free(farm.ranks);
    return status;
}

int farm_start(int argc, char **argv, farm_program *program, const struct farm_stage *stages)
{
    command_line_take(&argc, &argv);
    int status = stack_call(run_all, &(struct start){argc, argv, program, stages});
    if (status != STATUS_OK)
        signals_end();
    return status;
}
