/* Starts the OpenMP runtime. */
#ifndef PARALLEL_OPENMP_START_H
#define PARALLEL_OPENMP_START_H

/* Before the first region. Does nothing when it has been called. */
void openmp_start(void);

#endif
