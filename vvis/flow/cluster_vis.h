/* Cluster flow: visibility decided by whole clusters, cheap on maps where clusters see little. */
#ifndef VVIS_FLOW_CLUSTER_VIS_H
#define VVIS_FLOW_CLUSTER_VIS_H

#include "vvis/flow/pair_rounds.h"
#include "vvis/flow/visibility_state.h"
#include "vvis/resume/checkpoint.h"

/* Progress of cluster flow counts clusters from 1; progress of pairs starts here. */
#define PAIR_ROUNDS_BASE ((size_t)1 << 32)

struct cluster_counts {
    int64_t clusters; /* resolved */
    int64_t culled;   /* pairs */
};

/* Walks from each cluster to everything that it may see, the clusters with the fewest candidates
 * first, and culls what no walk reached. Where a walk arrives, a sightline is tried. Ends when
 * too many walks become long: the map is open, and deciding pair by pair is faster. Also ends when
 * the effort is over.
 *
 * Begins the checkpoint, also for the rounds of pairs, to which `candidates` (a row per cluster)
 * and `saved` (a single row) belong. Returns the progress of an earlier run: PAIR_ROUNDS_BASE or
 * more when nothing is left to do here. */
size_t cluster_vis(struct vis_state *state, struct effort *effort, struct checkpoint *checkpoint,
                   struct bit_rows *candidates, struct bit_rows *saved,
                   struct cluster_counts *counts);

#endif
