#include "common/parallel/cpu_count.h"

#include <string.h>
#include <windows.h>

/* The CPUs of the process's group, at most 64, as bits; 0: not known. */
static DWORD_PTR affinity(void)
{
    DWORD_PTR process = 0, machine = 0;
    return GetProcessAffinityMask(GetCurrentProcess(), &process, &machine) ? process : 0;
}

int cpu_count(void)
{
    int count = __builtin_popcountll(affinity());
    return count > 0 ? count : 1;
}

void cpu_seat_of_process(struct cpu_seat *out)
{
    DWORD_PTR cpus = affinity();
    DWORD size = sizeof out->machine;
    memset(out, 0, sizeof *out);
    if (!GetComputerNameA(out->machine, &size))
        *out->machine = '\0';
    for (size_t i = 0; i < sizeof cpus; i++)
        out->cpus[i] = (unsigned char)(cpus >> 8 * i);
}
