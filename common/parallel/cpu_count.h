/* Number of CPUs available to this program, which can be fewer than the machine has: a build farm
 * or a container may limit it to a set of CPUs or to a share of their time. */
#ifndef PARALLEL_CPU_COUNT_H
#define PARALLEL_CPU_COUNT_H

/* Returns the number of available CPUs, at least 1. */
int cpu_count(void);

/* Parses a cgroup's cpu.max ("200000 100000": 2 CPUs) and returns the number of CPUs, at least 1,
 * or 0 without a limit and for text that cannot be parsed. */
int cpu_count_of_quota(const char *text);

#endif
