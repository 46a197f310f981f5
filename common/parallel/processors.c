/* for sched_getaffinity */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include "common/parallel/processors.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

/* Of the group that the program is in, as a container sees it. */
static const char share_file[] = "/sys/fs/cgroup/cpu.max";

#define PROCESSORS_MAX 65536.0

int processors_of_share(const char *text)
{
    double time, period;
    if (sscanf(text, "%lf %lf", &time, &period) != 2 || !(time > 0) || !(period > 0) ||
        !(time / period < PROCESSORS_MAX))
        return 0;
    int whole = (int)(time / period);
    return whole + (whole * period < time);
}

static int of_share(void)
{
    char text[64];
    FILE *file = fopen(share_file, "re");
    if (!file)
        return 0;
    int count = fgets(text, sizeof text, file) ? processors_of_share(text) : 0;
    (void)fclose(file);
    return count;
}

/* A set is too small for machines of more than 1024. */
static int of_set(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

int processors_count(void)
{
    int set = of_set(), share = of_share();
    int count = share && share < set ? share : set;
    return count > 0 ? count : 1;
}
