/* The pairs of clusters that have to be decided, in order, some at a time: on open maps of many
 * clusters all of them together would not fit into memory. */
#ifndef VVIS_FLOW_PAIR_LIST_H
#define VVIS_FLOW_PAIR_LIST_H

#include "vvis/flow/flow.h"
#include "vvis/flow/visibility_state.h"

struct pair {
    double distance;
    int a, b;
    int budget; /* that it needs: see pair_rounds.h */
    enum flow_result result;
    int64_t chains;  /* of its walks */
    bool arrived[2]; /* a walk from a, from b */
    bool sent_to_flow;
};

enum { PAIR_BINS = 4096 };

struct pair_list {
    const struct vis_state *state;
    bool sort;                         /* the nearest first; else by cluster */
    const struct bit_rows *candidates; /* borrowed */
    struct vec3 *centers;              /* of clusters */
    double bin_size;
    size_t bins[PAIR_BINS];          /* pairs in each range of distances, or of clusters */
    size_t count;                    /* pairs in all */
    size_t first, next;              /* the bins in `pairs`, and the one after */
    size_t bin_start[PAIR_BINS + 1]; /* where each range begins in `pairs` */
    struct pair *pairs;              /* stb_ds array */
};

/* Of the pairs that a row a cluster holds; `out` must not move. */
void pair_list_new(const struct vis_state *state, const struct bit_rows *candidates, bool sort,
                   struct pair_list *out);
void pair_list_free(struct pair_list *list);

/* Puts the next pairs into list->pairs. False when there are none. */
bool pair_list_next(struct pair_list *list);

#endif
