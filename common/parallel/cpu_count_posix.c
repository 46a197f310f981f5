/* for sched_getaffinity */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include "common/parallel/cpu_count.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of the program's control group, as a container sees it. */
static const char quota_file[] = "/sys/fs/cgroup/cpu.max";

static int quota_count(void)
{
    char text[64];
    FILE *file = fopen(quota_file, "re");
    if (!file)
        return 0;
    int count = fgets(text, sizeof text, file) ? cpu_count_of_quota(text) : 0;
    (void)fclose(file);
    return count;
}

/* The set is too small for machines with more than 1024 CPUs. */
static int affinity_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

int cpu_count(void)
{
    int set = affinity_count(), share = quota_count();
    int count = share && share < set ? share : set;
    return count > 0 ? count : 1;
}

/* Where the system does not tell, one CPU is all that is certain. */
void cpu_seat_of_process(struct cpu_seat *out)
{
    cpu_set_t set;
    memset(out, 0, sizeof *out);
    (void)gethostname(out->machine, sizeof out->machine - 1);
    out->quota = quota_count();
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    for (size_t i = 0; i < CPU_SETSIZE && i < 8 * sizeof out->cpus; i++)
        if (CPU_ISSET(i, &set))
            out->cpus[i / 8] |= (unsigned char)(1u << i % 8);
}
