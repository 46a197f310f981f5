/* What a hint brush would do: a cluster is cut in two, and each half sees through its own portals
 * and through the cut. */
#ifndef VVIS_REPORT_HINT_CANDIDATES_H
#define VVIS_REPORT_HINT_CANDIDATES_H

#include "vvis/flow/flow.h"

struct hint_cut {
    int axis; /* 0 .. 2 */
    double at;
    int sees[2]; /* clusters: the half below and the half above */
};

struct hint_candidates;

/* `rows` are those of the portals. Both are borrowed. */
struct hint_candidates *hint_candidates_new(const struct portals *portals,
                                            const struct bit_rows *rows);
void hint_candidates_free(struct hint_candidates *candidates);

/* Fills out->sees for the plane that `out` names; `box` is that of the cluster. False when no half
 * would have a portal, or the cut goes through too many. Walks of more than `most` chains count as
 * seeing all that they might. */
bool hint_candidates_try(struct hint_candidates *candidates, int cluster, const struct bounds *box,
                         int64_t max, struct hint_cut *out);

#endif
