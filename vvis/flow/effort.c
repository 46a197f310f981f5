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

void effort_add(struct effort *effort, int64_t chains, struct byte_reader *in)
{
    if (chains > MAX_CHAINS - effort->elsewhere)
        in->failed = true;
    else
        effort->elsewhere += chains;
}

bool effort_is_over(struct effort *effort)
{
    if (effort->chains > 0 && effort_spent(effort) >= effort->chains)
        effort->is_over = true;
    if (effort->deadline > 0) {
        uint8_t is_late = clock_seconds(CLOCK_MONOTONIC) >= effort->deadline;
        ranks_broadcast_block(effort->ranks, &is_late, sizeof is_late);
        effort->is_over |= is_late != 0;
    }
    return effort->is_over;
}
