/* Visibility of clusters, decided pair by pair. */
#ifndef VVIS_FLOW_PAIR_VIS_H
#define VVIS_FLOW_PAIR_VIS_H

#include "common/env.h"
#include "vvis/flow/cluster_vis.h"

struct pair_counts {
    struct flow_counts flow;
    struct flow_counts cluster_flow;
    struct cluster_counts by_cluster;
    int64_t lines;        /* sightlines traced */
    int64_t pairs;        /* undecided after sightline sampling */
    int64_t sent_to_flow; /* of them: sent to portal flow */
    int64_t culled;       /* of them: proven invisible */
    int64_t over_budget;  /* of them: assumed visible because the walk got too long */
    int64_t left_open;    /* of them: assumed visible because the effort was over */
};

/* Returns the PVS: a symmetric row per cluster. With radius > 0, clusters farther apart do not
 * see each other.
 *
 * Sightlines prove most visible pairs. On maps where clusters see little, cluster flow decides
 * nearly all of the others. The remaining pairs go to the portal flow, nearest first (with
 * `sort`), in rounds of a fixed size: a pair is visible when a walk arrives from either side. If
 * many are left, base visibility is computed for them, and a culled pair clears from these rows,
 * for later rounds, everything that leads through both clusters; so walks to far clusters find
 * little left to try. Nothing is shared within a round, so the result does not depend on the
 * number of threads. When `checkpoint` (or NULL) stops the run, the result is incomplete.
 *
 * The effort's bounds are set by the caller; the rest of it is not used afterwards. */
struct bit_rows pair_vis(const struct env *env, const struct portals *portals, double radius,
                         struct checkpoint *checkpoint, bool sort, struct effort effort,
                         struct pair_counts *counts);

#endif
