/* The pairs of clusters that must be decided, in order and in batches: on open maps with many
 * clusters all pairs would not fit into memory. */
#ifndef VVIS_FLOW_PAIR_LIST_H
#define VVIS_FLOW_PAIR_LIST_H

#include "vvis/flow/flow.h"
#include "vvis/flow/visibility_state.h"

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

/* Lists the pairs in `candidates`, a row per cluster; `out` must not move. */
void pair_list_new(const struct vis_state *state, const struct bit_rows *candidates, bool sort,
                   struct pair_list *out);
void pair_list_free(struct pair_list *list);

/* Puts the next batch into list->pairs. Returns false when there is none. */
bool pair_list_next(struct pair_list *list);

#endif
