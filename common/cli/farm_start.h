/* The start of a program that may be one of several processes: of mpirun, or of srun. */
#ifndef CLI_FARM_START_H
#define CLI_FARM_START_H

#include "common/farm/farm.h"

/* How the process was started: alone, or by mpirun or srun as one of several. */
struct launch {
    int rank;
    int count;      /* 1: alone; 0: one of several, the launcher does not say of how many */
    const char *by; /* the variable that says it, or NULL */
};

/* Returns the value of a variable of the environment, or NULL. */
typedef const char *launch_lookup(const char *name);

/* Reads what the launchers of MPI set: Open MPI (4 and 5), PMIx as of `srun --mpi=pmix`, and PMI as
 * of others. A process of a launcher is alone with BRUSHWORK_MPI=0, as programs need that a rank of
 * something else starts, each for a map of its own. */
struct launch launch_find(launch_lookup *lookup);

typedef int farm_program(int argc, char **argv);

/* The rest of a main function. Calls the program, unless this process is another rank than 0: that
 * one does the stages that rank 0 begins, prints nothing, and returns 0 when the program of rank 0
 * has ended. A process that was started alone calls the program and nothing else. Ends by a signal
 * that the program has caught. */
int farm_start(int argc, char **argv, farm_program *program, const struct farm_stage *stages);

/* True when a launcher has started the process. Its output goes through that one, which may give it
 * a terminal of its own and write a log. */
bool farm_is_launched(void);

/* The ranks of this process on rank 0, or NULL. */
struct ranks *farm_ranks(void);

/* Fails, and reports it (NO_RANKS), when the process is one of several that cannot reach each
 * other: each would do all the work and write the same files. */
NODISCARD enum status farm_check(struct diag *diag);

#endif
