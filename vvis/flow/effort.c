#include "vvis/flow/effort.h"

#include "common/core/clock.h"
#include "common/farm/ranks.h"

int64_t effort_spent(const struct effort *effort)
{
    int64_t chains = effort->before + effort->elsewhere;
    for (int i = 0; i < effort->threads; i++)
        chains += flow_chains(effort->flows[i]);
    return chains;
}

bool effort_is_over(struct effort *effort)
{
    if (effort->chains > 0 && effort_spent(effort) >= effort->chains)
        effort->is_over = true;
    if (effort->deadline > 0) {
        bool is_late = clock_seconds(CLOCK_MONOTONIC) >= effort->deadline;
        ranks_broadcast_block(effort->ranks, &is_late, sizeof is_late);
        effort->is_over |= is_late;
    }
    return effort->is_over;
}
