/* The effort that a component of the map may take: chains of the flow, or time.
 *
 * Work is cut into steps that do not depend on the bound, and ends before the step that begins
 * beyond it. So more effort does the same and then more, and the result only tightens; bounded by
 * chains it is the same in every run. */
#ifndef VVIS_FLOW_EFFORT_H
#define VVIS_FLOW_EFFORT_H

#include "common/core/bytes.h"
#include "vvis/flow/flow.h"

/* Sums of chains are far below this. */
#define MAX_CHAINS ((int64_t)1 << 61)

struct effort {
    int64_t chains;      /* 0: not bounded */
    double deadline;     /* of CLOCK_MONOTONIC; 0: not bounded */
    int64_t before;      /* chains of the run that is resumed */
    int64_t elsewhere;   /* chains of other ranks */
    struct ranks *ranks; /* rank 0 tells the time */
    struct flow **flows; /* one per thread: theirs are counted */
    int threads;
    bool is_over;
};

/* Chains up to now. */
int64_t effort_spent(const struct effort *effort);

/* Adds those of another rank; its reader fails when there are more than can be. */
void effort_add(struct effort *effort, int64_t chains, struct byte_reader *in);

static inline bool effort_is_bounded(const struct effort *effort)
{
    return effort->chains > 0 || effort->deadline > 0;
}

/* Returns true when the effort is spent: then it stays so. Between steps only; collective. */
bool effort_is_over(struct effort *effort);

#endif
