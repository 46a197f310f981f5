/* What is known of who sees whom, from round to round.
 *
 * Within a round threads only read it, but for the proofs by lines, which nobody reads before the
 * round ends; so the result does not depend on the number of threads. `open` and `proven`, and how
 * many rounds of which phase are done, are all that has to be kept to go on later: the rows follow
 * from them by sight_use_rows. */
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
struct touched_word {
    size_t word;
    uint64_t bits, into;
};

struct sight {
    const struct env *env;
    const struct portals *portals;
    struct bit_rows *rows;        /* a row a portal: what lines through it may go on through; or
                                   * NULL: not asked for yet */
    struct bit_rows open;         /* a row a cluster, symmetric: not refuted */
    struct bit_rows proven;       /* the same: a line has come through */
    struct lines *lines;          /* that prove */
    struct cluster_pair *refuted; /* stb_ds array: in this round */
    struct touched_word *touched; /* by cluster */
    int *first_touched;           /* cluster_count + 1 indices into `touched` */
    int *first_partner;           /* the same, of the refuted pairs of a round, into `partners` */
    int *partners;                /* stb_ds array */
};

/* Everything is open, but for what is farther apart than a radius > 0. */
void sight_new(const struct env *env, const struct portals *portals, double radius,
               struct sight *out);
/* From now on there are rows too, base visibility at first: `open` loses what they rule out, and
 * they what `open` does. Borrowed. Again, when `open` has changed otherwise than by sight_refute.
 */
void sight_use_rows(struct sight *sight, struct bit_rows *rows);
/* All but `open`, which is the PVS then. */
void sight_free(struct sight *sight);

/* Ends a round of pairs: what sight->refuted has goes from `open`, and from the rows all that would
 * lead through both clusters of a pair. Clears sight->refuted. */
void sight_refute(struct sight *sight);

/* A cluster that a walk has been through whole, and a row of what is open there and not seen. */
struct settled {
    int cluster;
    const uint64_t *gone;
};

/* Makes the row of what is seen from the cluster one of what is open there, and is not seen. */
void sight_take_rest(const struct sight *sight, int cluster, uint64_t *seen);

/* Ends a round of whole clusters, and settles its lines: what is gone goes from `open` only; from
 * rows it goes when sight_use_rows is called. How many pairs were refuted. */
int64_t sight_refute_rest(struct sight *sight, const struct settled *settled, size_t count);

/* What is open and not proven: rows of the same shape. */
void sight_undecided(const struct sight *sight, struct bit_rows *out);

static inline bool sight_is_proven(const struct sight *sight, int a, int b)
{
    return bit_get(bit_row(&sight->proven, (size_t)a), (size_t)b);
}

#endif
