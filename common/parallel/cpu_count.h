/* How many processors there are for this program, which may be fewer than the machine has: a build
 * farm or a container gives it a set of them, or a share of their time. */
#ifndef PARALLEL_CPU_COUNT_H
#define PARALLEL_CPU_COUNT_H

/* At least 1. */
int cpu_count(void);

/* Those that a share of time is worth, as Linux's cpu.max tells it ("200000 100000": two): 1 and
 * more, or 0 for no limit and for what cannot be read. */
int cpu_count_of_quota(const char *text);

#endif
