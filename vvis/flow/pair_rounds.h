/* Schedules pairs of clusters in rounds, with a budget for each pair.
 *
 * A pair first gets a few sightlines and a short walk, and a larger budget only if these leave
 * it undecided: which side has the short walk is not known beforehand. An undecided pair is
 * deferred to a later round, where it goes before the easier pairs, so that no round ends with a
 * single long walk. What a walk may know depends only on the numbers of rounds. */
#ifndef VVIS_FLOW_PAIR_ROUNDS_H
#define VVIS_FLOW_PAIR_ROUNDS_H

#include "vvis/flow/flow.h"
#include "vvis/flow/visibility_state.h"

/* The pairs of clusters that must be decided, in order and in batches: on open maps with many
 * clusters all pairs would not fit into memory. */

struct pair {
    double distance;
    int a, b;
    int budget; /* index into pair_budgets */
    enum flow_result result;
    int64_t chains;  /* of its walks */
    bool arrived[2]; /* a walk from a, from b */
    bool sent_to_flow;
};

enum { PAIR_BINS = 4096 };

struct pair_list {
    const struct vis_state *state;
    bool sort;                         /* nearest first; else by cluster */
    const struct bit_rows *candidates; /* borrowed */
    struct vec3 *centers;              /* of clusters */
    double bin_size;
    size_t bins[PAIR_BINS];          /* number of pairs per range of distances, or of clusters */
    size_t count;                    /* pairs in total */
    size_t first, next;              /* the bins in `pairs`, and the one after */
    size_t bin_start[PAIR_BINS + 1]; /* start of each bin in `pairs` */
    struct pair *pairs;              /* stb_ds array */
};

struct budget {
    int lines; /* in total */
    int64_t chains;
    int period; /* while few pairs need this budget, only every period-th round takes them, all
                   together */
};

enum { BUDGETS = 4 };

extern const struct budget pair_budgets[BUDGETS];

struct pair_rounds {
    struct pair_list list;
    size_t size;                    /* new pairs per round */
    size_t at, start;               /* new pairs so far; of an earlier run */
    size_t slice;                   /* the next of list.pairs */
    size_t number;                  /* of the round */
    struct pair *deferred[BUDGETS]; /* stb_ds arrays: pairs that need this budget */
    struct pair *current;           /* stb_ds array: the pairs of this round, hardest first */
    size_t over_budget;
    int64_t chains, last_chains; /* of all budgets but the last; of the last */
    struct bit_rows saved;       /* the deferred pairs, for the checkpoint: see pair_rounds_save */
    size_t saved_words;          /* words of it in use */
};

/* The effort so far (effort_spent), which the checkpoint keeps with them. */
int64_t pair_rounds_spent(const struct bit_rows *saved);
void pair_rounds_save_spent(struct bit_rows *saved, int64_t spent);

/* Allocates a row for the pairs that rounds can defer on a map with this many clusters. */
struct bit_rows pair_rounds_saved_new(int clusters);

/* True when it may be what pair_rounds_save has written for so many clusters. */
bool pair_rounds_saved_fits(const struct bit_rows *saved, size_t clusters);

/* Schedules the pairs in `candidates`, a row per cluster; continues after the first `start`,
 * with the deferred pairs in `saved`. Both are borrowed, and `out` must not move. */
void pair_rounds_new(const struct vis_state *state, const struct bit_rows *candidates, size_t start,
                     bool sort, struct bit_rows saved, struct pair_rounds *out);
void pair_rounds_free(struct pair_rounds *rounds);

/* Returns whether there is another round. */
bool pair_rounds_more(struct pair_rounds *rounds);

/* Writes the deferred pairs, and the effort so far, to `saved`, before a round. */
void pair_rounds_save(struct pair_rounds *rounds, int64_t spent);

/* Fills rounds->current. */
void pair_rounds_begin(struct pair_rounds *rounds);

/* Defers the undecided pairs of rounds->current; after the last budget they are over budget. */
void pair_rounds_end(struct pair_rounds *rounds);

/* Ends the schedule early; returns the number of pairs that are left undecided. */
int64_t pair_rounds_give_up(struct pair_rounds *rounds);

#endif
