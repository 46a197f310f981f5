/* for sched_getaffinity */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include "common/parallel/cpu_count.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

/* Of the program's control group, as a container sees it. */
static const char quota_file[] = "/sys/fs/cgroup/cpu.max";

#define CPU_COUNT_MAX 65536.0

int cpu_count_of_quota(const char *text)
{
    double time, period;
    if (sscanf(text, "%lf %lf", &time, &period) != 2 || !(time > 0) || !(period > 0) ||
        !(time / period < CPU_COUNT_MAX))
        return 0;
    int whole = (int)(time / period);
    return whole + (whole * period < time);
}

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
