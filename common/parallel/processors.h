/* How many processors there are for this program, which may be fewer than the machine has: a build
 * farm or a container gives it a set of them, or a share of their time. */
#ifndef PARALLEL_PROCESSORS_H
#define PARALLEL_PROCESSORS_H

/* At least 1. */
int processors_count(void);

/* Those that a share of time is worth, as Linux's cpu.max tells it ("200000 100000": two): 1 and
 * more, or 0 for no limit and for what cannot be read. */
int processors_of_share(const char *text);

#endif
