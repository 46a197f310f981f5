/* The functions of the module mpi (common/core/module.h): processes that mpirun or srun started. */
#ifndef FARM_MPI_MODULE_H
#define FARM_MPI_MODULE_H

#include "common/farm/ranks_ops.h"

#define MPI_MODULE_ABI 2u

struct mpi_world {
    int rank, count;
    const struct ranks_ops *ops;
    void *self; /* of the ops */
};

struct mpi_functions {
    /* Once per process, before it has threads. Returns 0, or writes a phrase for a message. */
    int (*begin)(struct mpi_world *world, char *error, size_t size);
    /* Collective, at the end of the process; nothing may be called afterwards. */
    void (*end)(void *self);
};

#endif
