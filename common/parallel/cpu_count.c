#include "common/parallel/cpu_count.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

static bool has_cpu(const struct cpu_seat *seat, size_t cpu)
{
    return seat->cpus[cpu / 8] >> cpu % 8 & 1;
}

int cpu_share(const struct cpu_seat *seats, int count, int which)
{
    const struct cpu_seat *seat = &seats[which];
    double share = 0;
    int here = 0;
    for (int i = 0; i < count; i++)
        here += strcmp(seats[i].machine, seat->machine) == 0;
    for (size_t cpu = 0; cpu < 8 * sizeof seat->cpus; cpu++) {
        int users = 0;
        for (int i = 0; i < count && has_cpu(seat, cpu); i++)
            users += strcmp(seats[i].machine, seat->machine) == 0 && has_cpu(&seats[i], cpu);
        share += users ? 1.0 / users : 0;
    }
    if (seat->quota && share > (double)seat->quota / here)
        share = (double)seat->quota / here;
    int whole = (int)(share + 0.01); /* of thirds, too */
    return whole > 0 ? whole : 1;
}
