/* The effect of a hint brush: a cluster is cut in two, and each half sees through its own
 * portals and through the cut. */
#ifndef VVIS_REPORT_HINT_CANDIDATES_H
#define VVIS_REPORT_HINT_CANDIDATES_H

#include "vvis/flow/flow.h"

struct hint_cut {
    int axis; /* 0 .. 2 */
    double at;
    int sees[2]; /* clusters seen by the lower and the upper half */
};

struct hint_candidates;

/* `rows` belong to the portals. Both are borrowed. */
struct hint_candidates *hint_candidates_new(const struct portals *portals,
                                            const struct bit_rows *rows);
void hint_candidates_free(struct hint_candidates *candidates);

/* Fills out->sees for the plane of `out`; `box` is that of the cluster. Returns false when a
 * half would have no portal, or the cut splits too many. A walk of more than `max` chains counts
 * as seeing everything in mightsee. */
bool hint_candidates_try(struct hint_candidates *candidates, int cluster, const struct bounds *box,
                         int64_t max, struct hint_cut *out);

#endif
