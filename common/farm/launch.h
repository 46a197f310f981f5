/* How the process was started: alone, or by mpirun or srun as one of several. */
#ifndef FARM_LAUNCH_H
#define FARM_LAUNCH_H

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

#endif
