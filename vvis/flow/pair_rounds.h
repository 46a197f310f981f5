/* Schedules pairs of clusters in rounds, with a budget for each pair.
 *
 * A pair first gets a few sightlines and a short walk, and a larger budget only if these leave
 * it undecided: which side has the short walk is not known beforehand. An undecided pair is
 * deferred to a later round, where it goes before the easier pairs, so that no round ends with a
 * single long walk. What a walk may know depends only on the numbers of rounds. */
#ifndef VVIS_FLOW_PAIR_ROUNDS_H
#define VVIS_FLOW_PAIR_ROUNDS_H

#include "common/core/bytes.h"
#include "vvis/flow/flow.h"
#include "vvis/flow/visibility_state.h"

/* --- the effort that a component of the map may take: chains of the flow, or time --- */

/* Work is cut into steps that do not depend on the bound, and ends before the step that begins
 * beyond it. So more effort does the same and then more, and the result only tightens; bounded by
 * chains it is the same in every run. */
struct effort {
    int64_t chains;      /* 0: not bounded */
    double deadline;     /* of CLOCK_MONOTONIC; 0: not bounded */
    int64_t before;      /* chains of the run that is resumed */
    int64_t elsewhere;   /* chains of other ranks */
    struct ranks *ranks; /* rank 0 tells the time */
    struct flow **flows; /* one per thread: theirs are counted */
    int threads;
    bool is_over;
};

/* Chains up to now. */
int64_t effort_spent(const struct effort *effort);

/* Adds those of another rank; its reader fails when there are more than can be. */
void effort_add(struct effort *effort, int64_t chains, struct byte_reader *in);

static inline bool effort_is_bounded(const struct effort *effort)
{
    return effort->chains > 0 || effort->deadline > 0;
}

/* Returns true when the effort is spent: then it stays so. Between steps only; collective. */
bool effort_is_over(struct effort *effort);

/* --- rounds --- */

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
