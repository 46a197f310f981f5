/* What is known of who sees whom, from round to round.
 *
 * Within a round threads only read it, but for the proofs by lines, which nobody reads before the
 * round ends; so the result does not depend on the number of threads. `open` and `proven`, and how
 * many rounds of which phase are done, are all that has to be kept to go on later: the rows follow
 * from them by sight_narrow. */
#ifndef VVIS_SIGHT_H
#define VVIS_SIGHT_H

#include "common/core/env.h"
#include "vvis/bits.h"
#include "vvis/lines.h"
#include "vvis/portals.h"

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
    struct bit_rows *rows;        /* a row a portal: what lines through it may go on through */
    struct bit_rows open;         /* a row a cluster, symmetric: not refuted */
    struct bit_rows proven;       /* the same: a line has come through */
    struct bit_rows beyond;       /* a row a cluster: portals with what it has not refuted on both
                                   * sides; only between sight_begin_beyond and sight_narrow */
    struct lines *lines;          /* that prove */
    struct cluster_pair *refuted; /* stb_ds array: in this round */
    struct touched_word *touched; /* by cluster */
    int *first_touched;           /* cluster_count + 1 indices into `touched` */
    int *first_partner;           /* the same, of the refuted pairs of a round, into `partners` */
    int *partners;                /* stb_ds array */
    uint64_t *scratch;            /* a row of clusters, for whoever wants one for a moment */
};

/* `rows` is the base visibility; what is open follows from it. */
void sight_new(const struct env *env, const struct portals *portals, struct bit_rows *rows,
               struct sight *out);
/* All but `open`, which is the PVS then. */
void sight_free(struct sight *sight);

/* Ends a round of pairs: what sight->refuted has goes from `open`, and from the rows all that would
 * lead through both clusters of a pair. Clears sight->refuted. */
void sight_refute(struct sight *sight);

/* Ends a round of whole clusters: of cluster settled[i] nothing is seen but row i of `seen`. Goes
 * from `open` and from `beyond`. How many pairs were refuted. */
int64_t sight_refute_rest(struct sight *sight, const int *settled, const struct bit_rows *seen,
                          size_t count);

/* From now on `beyond` says what `open` rules out, and the rows stay as they are: much less to keep
 * up to date when most pairs are refuted. */
void sight_begin_beyond(struct sight *sight);

/* The rows lose all that `open` rules out. */
void sight_narrow(struct sight *sight);

/* What is open and not proven: rows of the same shape. */
void sight_undecided(const struct sight *sight, struct bit_rows *out);

static inline bool sight_is_open(const struct sight *sight, int a, int b)
{
    return bit_get(bit_row(&sight->open, (size_t)a), (size_t)b);
}

static inline bool sight_is_proven(const struct sight *sight, int a, int b)
{
    return bit_get(bit_row(&sight->proven, (size_t)a), (size_t)b);
}

#endif
