/* The scratch memory of a flow, for those that walk. */
#ifndef VVIS_FLOW_FLOW_STATE_H
#define VVIS_FLOW_FLOW_STATE_H

#include "vvis/flow/flow_kernels.h"

/* A set of portals or clusters, and the whole blocks of its words that are not all 0. */
struct mightsee {
    size_t low, high;
    uint64_t *bits;
};

/* One step of the walk: the line came through `portal`. A window that no plane has cut is not
 * copied. */
struct frame {
    struct window source_cut, pass_cut;
    const struct window *source, *pass;
    struct separators separators;
    bool separated; /* the separators are built */
    int portal;
    int witness;    /* of a walk from a cluster: a way into one that is not seen, or -1 */
    int at, end;    /* what is left to try, in portals.leaving */
    unsigned exits; /* of a walk by clusters: of the last eight before `at` */
    struct mightsee
        mightsee; /* what may still be reached: portals, of a walk from a cluster clusters */
};

struct flow {
    const struct portals *portals;
    const struct flow_kernels *kernels; /* of this processor */
    const struct bit_rows *rows;
    const struct bit_rows *cluster_rows; /* of the walk from a cluster: see flow_cluster */
    size_t words;                        /* of the sets of frames: room for the larger of both */
    struct frame **frames;               /* stb_ds array, grown as the walk gets deeper */
    int depth;                           /* how many frames there are */
    struct separators shaft;             /* around the two clusters of a pair; else none */
    struct mightsee target_mightsee; /* of a pair: portals that may see into the second cluster */
    int target;                      /* of a pair: the second cluster */
    struct flow_arrival **arrivals;  /* stb_ds array, of blocks that are used again */
    size_t arrival_count;            /* of a cluster */
    struct flow_counts counts;
};

/* Only the first walk to a new depth allocates. */
void flow_push_frame(struct flow *flow);

/* A place for one more in what flow_arrivals gives. */
struct flow_arrival *flow_new_arrival(struct flow *flow);

#endif
