/* Ranks that are threads of one process: for tests, and where there is no MPI. */
#ifndef FARM_THREAD_RANKS_H
#define FARM_THREAD_RANKS_H

#include "common/farm/ranks.h"

/* Runs as one of the ranks. */
typedef void thread_ranks_body(void *context, struct ranks *ranks);

/* Calls the body once per rank, in threads of its own, and returns when all are done. piece > 0:
 * the bytes of one call at most, in place of RANKS_PIECE. */
void thread_ranks_run(int count, size_t piece, thread_ranks_body *body, void *context);

#endif
