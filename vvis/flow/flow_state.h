/* The internal state of a flow, for the code that walks. */
#ifndef VVIS_FLOW_FLOW_STATE_H
#define VVIS_FLOW_FLOW_STATE_H

#include "vvis/flow/flow_kernels.h"

/* A set of portals or clusters, and the range of its words that are not all 0. */
struct mightsee {
    size_t low, high;
    uint64_t *bits;
};

/* One step of the walk: the line went through `portal`. A window that was not clipped is not
 * copied. */
struct frame {
    struct window source_cut, pass_cut;
    const struct window *source, *pass;
    struct separators separators;
    bool separated; /* the separators are built */
    int portal;
    int witness;              /* cluster flow: an entry into a cluster not yet seen, or -1 */
    int at, end;              /* what is left to try, in portals.leaving */
    unsigned exits;           /* cluster flow: of the last eight before `at` */
    struct mightsee mightsee; /* what may still be reached: portals, or clusters for cluster flow */
};

struct flow {
    const struct portals *portals;
    const struct flow_kernels *kernels; /* of this CPU */
    const struct bit_rows *rows;
    const struct bit_rows *cluster_rows; /* for cluster flow: see flow_cluster */
    size_t words;                        /* of the sets of frames: the larger of both sizes */
    struct frame **frames;               /* stb_ds array, grown with the depth of the walk */
    int depth;                           /* number of frames */
    struct separators shaft;             /* between the two clusters of a pair; else empty */
    struct mightsee target_mightsee; /* of a pair: portals that may see into the second cluster */
    int target;                      /* of a pair: the second cluster */
    struct flow_arrival **arrivals;  /* stb_ds array of reused blocks */
    size_t arrival_count;            /* of the current cluster */
    struct flow_counts counts;
};

/* Adds a frame. Only the first walk to a new depth allocates. */
void flow_push_frame(struct flow *flow);

/* Adds an arrival to those that flow_arrivals returns. */
struct flow_arrival *flow_new_arrival(struct flow *flow);

#endif
