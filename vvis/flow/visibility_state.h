/* What is known of who sees whom, from round to round.
 *
 * Within a round threads only read it, but for the proofs by lines, which nobody reads before the
 * round ends; so the result does not depend on the number of threads. `mightsee` and `proven`, and
 * how many rounds of which phase are done, are all that has to be kept to go on later: the rows
 * follow from them by vis_state_use_rows. */
#ifndef VVIS_FLOW_VISIBILITY_STATE_H
#define VVIS_FLOW_VISIBILITY_STATE_H

#include "common/env.h"
#include "vvis/flow/sightlines.h"
#include "vvis/graph/bits.h"
#include "vvis/graph/portals.h"

/* Two clusters. */
struct cluster_pair {
    int a, b;
};

/* A word of a row, and the bits in it of a cluster's portals, and of those that lead into it. */
struct portal_word {
    size_t word;
    uint64_t bits, into;
};

struct vis_state {
    const struct env *env;
    const struct portals *portals;
    struct bit_rows *rows;            /* a row a portal: what lines through it may go on through; or
                                       * NULL: not asked for yet */
    struct bit_rows mightsee;         /* a row a cluster, symmetric: not refuted */
    struct bit_rows proven;           /* the same: a line has come through */
    struct sightlines *lines;         /* that prove */
    struct cluster_pair *culled;      /* stb_ds array: in this round */
    struct portal_word *portal_words; /* by cluster */
    int *first_portal_word;           /* cluster_count + 1 indices into `portal_words` */
    int *first_partner; /* the same, of the refuted pairs of a round, into `partners` */
    int *partners;      /* stb_ds array */
};

/* Everything is mightsee, but for what is farther apart than a radius > 0. */
void vis_state_new(const struct env *env, const struct portals *portals, double radius,
                   struct vis_state *out);
/* From now on there are rows too, base visibility at first: `mightsee` loses what they rule out,
 * and they what `mightsee` does. Borrowed. Again, when `mightsee` has changed otherwise than by
 * vis_state_cull.
 */
void vis_state_use_rows(struct vis_state *state, struct bit_rows *rows);
/* All but `mightsee`, which is the PVS then. */
void vis_state_free(struct vis_state *state);

/* Ends a round of pairs: what sight->refuted has goes from `mightsee`, and from the rows all that
 * would lead through both clusters of a pair. Clears sight->refuted. */
void vis_state_cull(struct vis_state *state);

/* A cluster that a walk has been through whole, and a row of what is mightsee there and not seen.
 */
struct resolved_cluster {
    int cluster;
    const uint64_t *culled_row;
};

/* Makes the row of what is seen from the cluster one of what is mightsee there, and is not seen. */
void vis_state_take_unseen(const struct vis_state *state, int cluster, uint64_t *seen);

/* Ends a round of whole clusters, and settles its lines: what is gone goes from `mightsee` only;
 * from rows it goes when vis_state_use_rows is called. How many pairs were refuted. */
int64_t vis_state_cull_unseen(struct vis_state *state, const struct resolved_cluster *resolved,
                              size_t count);

/* What is mightsee and not proven: rows of the same shape. */
void vis_state_undecided(const struct vis_state *state, struct bit_rows *out);

static inline bool vis_state_is_proven(const struct vis_state *state, int a, int b)
{
    return bit_get(bit_row(&state->proven, (size_t)a), (size_t)b);
}

#endif
