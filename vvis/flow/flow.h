/* The portal flow: finds the portals that lines through a first portal can continue through.
 *
 * A depth-first walk over sequences of portals. Each step keeps the part of the first window
 * (the source) and of the last (the pass) that a line through all windows so far can meet. The
 * bound is conservative: nothing visible is lost. */
#ifndef VVIS_FLOW_FLOW_H
#define VVIS_FLOW_FLOW_H

#include "vvis/graph/bits.h"
#include "vvis/graph/portals.h"

struct ranks;

struct flow_counts {
    int64_t chains; /* steps through a portal */
    int64_t clips;  /* of a window by a plane */
    int64_t worst;  /* chains for one portal, or one pair of clusters */
};

void flow_counts_add(struct flow_counts *total, const struct flow_counts *more);

/* Collective: turns the counts of this rank into those of all. */
void flow_counts_of_ranks(struct ranks *ranks, struct flow_counts *counts);

struct flow;

/* The scratch memory of one thread. `rows` are only read: bit q of row p is clear when no line
 * through p continues through q; NULL for cluster flow alone. Both are borrowed. */
struct flow *flow_new(const struct portals *portals, const struct bit_rows *rows);
/* Sets the rows if there were none at first. */
void flow_use_rows(struct flow *flow, const struct bit_rows *rows);
void flow_free(struct flow *flow);
/* Returns the chains that this thread has counted so far. */
int64_t flow_chains(const struct flow *flow);
/* Adds the counts of this thread. */
void flow_add_counts(const struct flow *flow, struct flow_counts *total);

/* Sets the bits of the portals seen through portal p; `seen` is a row, initially 0. After `max`
 * chains it sets all that the portal might see. */
void flow_portal(struct flow *flow, int p, int64_t max, uint64_t *seen);

/* The result of a walk from one cluster to another. */
enum flow_result { FLOW_UNDECIDED, FLOW_CULLED, FLOW_ARRIVED, FLOW_RESULTS };

enum { ARRIVAL_PATH = 60 };

/* A walk that arrived: the parts of the portals through which lines may leave its first cluster
 * and enter its last. A line from one to the other is a good guess. */
struct flow_arrival {
    int path[ARRIVAL_PATH]; /* portals from the first to the last */
    int length;             /* of the path; 0: longer than ARRIVAL_PATH */
    int portal;             /* the first portal */
    int cluster;            /* the last cluster */
    struct window from, to;
};

/* Finds all clusters that a line from cluster a may reach. `seen` is a row of clusters that are
 * known to be seen, a itself and its neighbours among them; those that a walk reaches are added.
 * Walks continue only where they may lead to others. `cluster_rows` are only read: the symmetric
 * mightsee of clusters, one row per cluster. Rows of portals are not used. Returns false after
 * `max` chains: clusters that are not in `seen` may be visible. */
bool flow_cluster(struct flow *flow, const struct bit_rows *cluster_rows, int a, int64_t max,
                  uint64_t *seen);

/* Returns what the last call of flow_cluster has added, and the count. */
const struct flow_arrival *const *flow_arrivals(const struct flow *flow, size_t *count);

/* Searches for a path of a line from cluster a to cluster b, and stops at the first. Searches
 * only the shaft between the portals of both. FLOW_UNDECIDED: the budget of `max` chains was
 * exceeded. */
enum flow_result flow_pair(struct flow *flow, int a, int b, int64_t max,
                           struct flow_arrival *arrival);

/* The same by the mightsee of clusters, see flow_cluster: faster where little of it is left to
 * cull. */
enum flow_result flow_clusters(struct flow *flow, const struct bit_rows *cluster_rows, int a, int b,
                               int64_t max, struct flow_arrival *arrival);

#endif
