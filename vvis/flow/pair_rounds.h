/* Pairs of clusters in rounds: what is to be tried in the next one, and how hard.
 *
 * A pair gets a few lines and a short walk at first, and more of both only when these leave it
 * open: the side from which a walk is short is not known before. A pair that is left open is
 * carried to a later round, where it comes before all that is easier. So no round has to wait for
 * a long walk with nothing else to do, and it still depends on nothing but the numbers of rounds
 * what a walk may know. */
#ifndef VVIS_FLOW_PAIR_ROUNDS_H
#define VVIS_FLOW_PAIR_ROUNDS_H

#include "vvis/flow/pair_list.h"

struct budget {
    int lines; /* so far */
    int64_t chains;
    int period; /* rounds: while it is little that needs this effort, only every so manieth takes
                 * it on, all together */
};

enum { BUDGETS = 4 };

extern const struct budget pair_budgets[BUDGETS];

struct pair_rounds {
    struct pair_list list;
    size_t size;                    /* new pairs of a round */
    size_t at, start;               /* new pairs so far; of an earlier run */
    size_t slice;                   /* the next of list.pairs */
    size_t number;                  /* of the round */
    struct pair *deferred[BUDGETS]; /* stb_ds arrays: what needs this effort */
    struct pair *current;           /* stb_ds array: of the round, the hardest first */
    size_t over_budget;
    int64_t chains, last_chains; /* of all efforts but the last; of that */
    struct bit_rows saved;       /* what is carried, for a run that goes on: see pair_rounds_save */
    size_t saved_words;          /* of it: in use */
};

/* A row that has room for all that rounds may carry on a map of so many clusters. */
struct bit_rows pair_rounds_saved_new(int clusters);

/* Of the candidates, a row a cluster; goes on after the first `start`, with what `kept` has. Both
 * are borrowed, and `out` must not move. */
void pair_rounds_new(const struct vis_state *state, const struct bit_rows *candidates, size_t start,
                     bool sort, struct bit_rows saved, struct pair_rounds *out);
void pair_rounds_free(struct pair_rounds *rounds);

/* Whether there is another round. */
bool pair_rounds_more(struct pair_rounds *rounds);

/* Puts into `kept` what is carried, before a round. */
void pair_rounds_save(struct pair_rounds *rounds);

/* Fills rounds->todo. */
void pair_rounds_begin(struct pair_rounds *rounds);

/* Carries what is still open of rounds->todo; at the end of all efforts it is given up. */
void pair_rounds_end(struct pair_rounds *rounds);

#endif
