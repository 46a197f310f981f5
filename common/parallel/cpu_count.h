/* Number of CPUs available to this program, which can be fewer than the machine has: a build farm
 * or a container may limit it to a set of CPUs or to a share of their time. */
#ifndef PARALLEL_CPU_COUNT_H
#define PARALLEL_CPU_COUNT_H

/* The CPUs of several processes of one run on one machine. mpirun binds each process to some of
 * them, or to none, and several may have the same. */

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

/* Returns the number of available CPUs, at least 1. */
int cpu_count(void);

/* Parses a cgroup's cpu.max ("200000 100000": 2 CPUs) and returns the number of CPUs, at least 1,
 * or 0 without a limit and for text that cannot be parsed. */
int cpu_count_of_quota(const char *text);

#endif
