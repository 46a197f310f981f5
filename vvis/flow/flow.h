/* The portal flow: which portals lines through a first portal can go on through.
 *
 * A depth-first walk over sequences of portals. Each step keeps the part of the first window (the
 * source) and of the last (the pass) that a line through all windows so far can meet, bounded from
 * outside, so that nothing visible is lost. */
#ifndef VVIS_FLOW_FLOW_H
#define VVIS_FLOW_FLOW_H

#include "vvis/graph/bits.h"
#include "vvis/graph/portals.h"

struct flow_counts {
    int64_t chains; /* steps through a portal */
    int64_t clips;  /* of a window by a plane */
    int64_t worst;  /* chains for one portal, or one pair of clusters */
};

void flow_counts_add(struct flow_counts *total, const struct flow_counts *more);

struct flow;

/* The scratch memory of one thread. `rows` are read only: bit q of row p is clear when no line
 * through p goes on through q; NULL when only whole clusters are walked. Both are borrowed. */
struct flow *flow_new(const struct portals *portals, const struct bit_rows *rows);
/* When there were none at first. */
void flow_use_rows(struct flow *flow, const struct bit_rows *rows);
void flow_free(struct flow *flow);
/* The chains that this thread counted so far. */
int64_t flow_chains(const struct flow *flow);
/* Adds what this thread counted. */
void flow_add_counts(const struct flow *flow, struct flow_counts *total);

/* Sets the bits of the portals seen through portal p; `seen` is a row, all 0 at first. After `most`
 * chains it gives up and takes all that the portal might see. */
void flow_portal(struct flow *flow, int p, int64_t max, uint64_t *seen);

/* What a walk from one cluster to another found. */
enum flow_result { FLOW_OPEN, FLOW_REFUTED, FLOW_ARRIVED };

enum { ARRIVAL_PATH = 60 };

/* Where a walk that arrived left its first cluster and entered its last: the parts of the two
 * portals that lines may come through. A line from one to the other is a good guess. */
struct flow_arrival {
    int path[ARRIVAL_PATH]; /* the portals from the first to the last */
    int length;             /* of the path; 0: it is longer than there is room for */
    int portal;             /* the first */
    int cluster;            /* the last */
    struct window from, to;
};

/* Looks for all clusters that a line could come to from cluster a. `seen` is a row of clusters:
 * those that are known to be seen, a itself and its neighbours among them, to which those are added
 * that a way is found to. Walks go on only where they may lead to others. `open` is read only: a
 * row a cluster, symmetric, of the clusters that a line through it may also go through. Rows of
 * portals are not asked for. False after `most` chains: what is missing in `seen` may be visible.
 */
bool flow_cluster(struct flow *flow, const struct bit_rows *open, int a, int64_t max,
                  uint64_t *seen);

/* What the last call of flow_cluster has added, and how many. */
const struct flow_arrival *const *flow_arrivals(const struct flow *flow, size_t *count);

/* Looks for a way that a line could take from cluster a to cluster b, and stops at the first. Only
 * the space between is searched: the hull of the boxes around the portals of both. FLOW_OPEN: not
 * decided within `most` chains. */
enum flow_result flow_pair(struct flow *flow, int a, int b, int64_t max,
                           struct flow_arrival *arrival);

/* The same by what is known of clusters, as flow_cluster has it: quicker where that is nearly
 * all. */
enum flow_result flow_clusters(struct flow *flow, const struct bit_rows *open, int a, int b,
                               int64_t max, struct flow_arrival *arrival);

#endif
