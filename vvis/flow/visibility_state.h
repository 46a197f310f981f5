/* The visibility state: what is known about pairs of clusters, from round to round.
 *
 * Within a round threads only read it, except for the proofs by sightlines, which nobody reads
 * before the round ends; so the result does not depend on the number of threads. `mightsee`,
 * `proven` and the progress are all that a checkpoint must store: vis_state_use_rows derives the
 * rows from them. */
#ifndef VVIS_FLOW_VISIBILITY_STATE_H
#define VVIS_FLOW_VISIBILITY_STATE_H

#include "common/env.h"
#include "vvis/flow/sightlines.h"
#include "vvis/graph/bits.h"
#include "vvis/graph/portals.h"

struct cluster_pair {
    int a, b;
};

/* A word of a row: the bits of a cluster's portals, and of those that lead into it. */
struct portal_word {
    size_t word;
    uint64_t bits, into;
};

struct vis_state {
    const struct env *env;
    const struct portals *portals;
    struct bit_rows
        *rows; /* a row per portal: what lines through it may continue through; NULL until needed */
    struct bit_rows mightsee; /* a row per cluster, symmetric: not culled */
    struct bit_rows proven;   /* the same: proven by a sightline */
    struct sightlines *lines;
    struct cluster_pair *culled;      /* stb_ds array: in this round */
    struct portal_word *portal_words; /* by cluster */
    int *first_portal_word;           /* cluster_count + 1 indices into `portal_words` */
    int *first_partner; /* the same, of the culled pairs of a round, into `partners` */
    int *partners;      /* stb_ds array */
};

/* Sets all pairs in mightsee, except those farther apart than a radius > 0. */
void vis_state_new(const struct env *env, const struct portals *portals, double radius,
                   struct vis_state *out);
/* Adds the rows of portals, at first base visibility: `mightsee` loses what they rule out, and
 * they lose what `mightsee` rules out. Borrowed. Call it again after `mightsee` changed by other
 * means than vis_state_cull. */
void vis_state_use_rows(struct vis_state *state, struct bit_rows *rows);
/* Frees everything except `mightsee`, which then is the PVS. */
void vis_state_free(struct vis_state *state);

/* Ends a round of pairs: clears the pairs in state->culled from `mightsee`, and from the rows
 * everything that leads through both clusters of a pair. Clears state->culled. */
void vis_state_cull(struct vis_state *state);

/* A cluster whose walk was completed, and the row of clusters in its mightsee that were not
 * seen. */
struct resolved_cluster {
    int cluster;
    const uint64_t *culled_row;
};

/* Turns the row of seen clusters into the row of clusters in mightsee that are not seen. */
void vis_state_take_unseen(const struct vis_state *state, int cluster, uint64_t *seen);

/* Ends a round of cluster flow and commits its sightlines: clears the culled pairs from
 * `mightsee`; vis_state_use_rows clears them from the rows. Returns the number of culled pairs. */
int64_t vis_state_cull_unseen(struct vis_state *state, const struct resolved_cluster *resolved,
                              size_t count);

/* Sets the pairs that are in mightsee and not proven: rows of the same shape. */
void vis_state_undecided(const struct vis_state *state, struct bit_rows *out);

static inline bool vis_state_is_proven(const struct vis_state *state, int a, int b)
{
    return bit_get(bit_row(&state->proven, (size_t)a), (size_t)b);
}

#endif
