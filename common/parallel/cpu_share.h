/* The CPUs of several processes of one run on one machine. mpirun binds each process to some of
 * them, or to none, and several may have the same. */
#ifndef PARALLEL_CPU_SHARE_H
#define PARALLEL_CPU_SHARE_H

/* Where a process runs: plain bytes, which others may be sent. */
struct cpu_seat {
    char machine[64];
    unsigned char cpus[512]; /* a bit for each that it may use */
    int quota;               /* number of CPUs that its container has; 0: all */
};

void cpu_seat_of_process(struct cpu_seat *out);

/* Returns the number of CPUs for process `which` when all share evenly those that they have in
 * common; at least 1. */
int cpu_share(const struct cpu_seat *seats, int count, int which);

#endif
