#include "vvis/flow/effort.h"

#include "common/core/clock.h"

int64_t effort_spent(const struct effort *effort)
{
    int64_t chains = effort->before;
    for (int i = 0; i < effort->threads; i++)
        chains += flow_chains(effort->flows[i]);
    return chains;
}

bool effort_is_over(struct effort *effort)
{
    if (effort->chains > 0 && effort_spent(effort) >= effort->chains)
        effort->is_over = true;
    if (effort->deadline > 0 && clock_seconds(CLOCK_MONOTONIC) >= effort->deadline)
        effort->is_over = true;
    return effort->is_over;
}
