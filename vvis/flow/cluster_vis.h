/* Visibility decided by whole clusters: cheap where little is seen. */
#ifndef VVIS_FLOW_CLUSTER_VIS_H
#define VVIS_FLOW_CLUSTER_VIS_H

#include "vvis/flow/visibility_state.h"
#include "vvis/resume/checkpoint.h"

/* Rounds by cluster count from 1, those of pairs from here. */
#define PAIR_ROUNDS_BASE ((size_t)1 << 32)

struct cluster_counts {
    int64_t clusters; /* whose row is settled */
    int64_t culled;   /* pairs */
};

/* Walks from each cluster to all that it may see, those with the fewest first, and refutes what no
 * walk came to. Where a walk arrives, a line is tried. Ends when walks become too long for many:
 * the map is mightsee, and pairs are the better way.
 *
 * Begins the rounds, also those of pairs, which `candidates` are for, a row a cluster, and `kept`,
 * a single row. Returns how much was done already, which is PAIR_ROUNDS_BASE and more when nothing
 * is left to do here. */
size_t cluster_vis(struct vis_state *state, struct flow **flows, struct checkpoint *checkpoint,
                   struct bit_rows *candidates, struct bit_rows *saved,
                   struct cluster_counts *counts);

#endif
