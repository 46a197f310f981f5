/* Visibility of clusters decided pair by pair. */
#ifndef VVIS_FLOW_PAIR_VIS_H
#define VVIS_FLOW_PAIR_VIS_H

#include "common/env.h"
#include "vvis/flow/cluster_vis.h"

struct pair_counts {
    struct flow_counts flow;
    struct flow_counts cluster_flow;
    struct cluster_counts by_cluster;
    int64_t lines;        /* followed */
    int64_t pairs;        /* mightsee after the random lines */
    int64_t sent_to_flow; /* of them: left to the flow */
    int64_t culled;       /* of them */
    int64_t over_budget;  /* of them: taken as visible because the walk got too long */
};

/* The PVS: a row a cluster, symmetric. With a radius > 0 clusters farther apart do not see each
 * other.
 *
 * Lines prove most visible pairs. Where little is seen, walks from whole clusters decide nearly all
 * of the others. Then pairs go to the flow, the nearest first (with `sort`), in rounds of a fixed
 * size: a pair is visible when a walk arrives from either side. Where many are left, base
 * visibility is made for them: a pair that is refuted takes from the rows, for the rounds to come,
 * all that would lead through both clusters; so walks to far clusters find little left to try.
 * Nothing is shared within a round, so that the result does not depend on the number of threads.
 * When `rounds` (or NULL) wants it to stop, what comes back is not decided to the end. */
struct bit_rows pair_vis(const struct env *env, const struct portals *portals, double radius,
                         struct checkpoint *checkpoint, bool sort, struct pair_counts *counts);

#endif
