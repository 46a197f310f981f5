#include "vvis/flow/pair_list.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/parallel/parallel.h"

/* Pairs per batch: some megabytes, or more if there would be too many passes over all pairs. */
enum { BATCH_PAIRS = 1 << 18, BATCHES_MAX = 64 };

enum { CHUNK = 16 }; /* bins per work item: one is too little */

static size_t bin_of(const struct pair_list *list, size_t a, double distance)
{
    double at = list->sort ? distance / list->bin_size : (double)a / list->bin_size;
    return at < PAIR_BINS - 1 ? (size_t)at : PAIR_BINS - 1;
}

static struct vec3 *centers_of(const struct portals *portals)
{
    size_t clusters = (size_t)portals->cluster_count;
    struct vec3 *centers = memory_zalloc(clusters + 1, sizeof *centers);
    for (size_t c = 0; c < clusters; c++)
        centers[c] = bounds_center(&portals->cluster_bounds[c]);
    return centers;
}

typedef void pair_visitor(struct pair_list *list, size_t a, size_t b, double distance, size_t bin);

static void visit_pairs(struct pair_list *list, pair_visitor *visit)
{
    const struct bit_rows *candidates = list->candidates;
    const struct vec3 *centers = list->centers;
    for (size_t a = 0; a < (size_t)list->state->portals->cluster_count; a++) {
        const uint64_t *row = bit_row(candidates, a);
        uint64_t left = row[a / 64] & ~(UINT64_MAX >> (63 - a % 64));
        for (size_t word = a / 64;; left = row[word]) {
            for (; left; left &= left - 1) {
                size_t b = 64 * word + (size_t)__builtin_ctzll(left);
                double distance = vec3_distance(centers[a], centers[b]);
                visit(list, a, b, distance, bin_of(list, a, distance));
            }
            if (++word == candidates->words)
                break;
        }
    }
}

static void count_pair(struct pair_list *list, size_t a, size_t b, double distance, size_t bin)
{
    (void)a;
    (void)b;
    (void)distance;
    list->bins[bin]++;
    list->count++;
}

/* list->bins[bin] is 0 when the bin is not part of this batch. */
static void put_pair(struct pair_list *list, size_t a, size_t b, double distance, size_t bin)
{
    if (bin >= list->next || !list->bins[bin])
        return;
    list->bins[bin]--;
    list->pairs[list->bin_start[bin] + list->bins[bin]] =
        (struct pair){.distance = distance, .a = (int)a, .b = (int)b};
}

/* Returns more than any distance in the map. */
static double map_size(const struct portals *portals)
{
    struct bounds all = bounds_empty();
    for (int c = 0; c < portals->cluster_count; c++)
        if (portals->first[c] < portals->first[c + 1])
            bounds_add(&all, &portals->cluster_bounds[c]);
    return portals->count ? vec3_distance(all.mins, all.maxs) + 1 : 1;
}

void pair_list_new(const struct vis_state *state, const struct bit_rows *candidates, bool sort,
                   struct pair_list *out)
{
    size_t clusters = (size_t)state->portals->cluster_count;
    memset(out, 0, sizeof *out);
    out->state = state;
    out->sort = sort;
    out->candidates = candidates;
    out->bin_size = (sort ? map_size(state->portals) : (double)clusters + 1) / (double)PAIR_BINS;
    out->centers = centers_of(state->portals);
    visit_pairs(out, count_pair);
}

void pair_list_free(struct pair_list *list)
{
    memory_free(list->centers);
    arrfree(list->pairs);
}

static int compare_clusters(const void *left, const void *right)
{
    const struct pair *x = left, *y = right;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

static int compare_pairs(const void *left, const void *right)
{
    const struct pair *x = left, *y = right;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return compare_clusters(left, right);
}

static void sort_bins(void *context, size_t chunk, int thread)
{
    (void)thread;
    struct pair_list *list = context;
    size_t bin = list->first + chunk * CHUNK, end = bin + CHUNK;
    for (; bin < end && bin < list->next; bin++)
        qsort(list->pairs + list->bin_start[bin], list->bin_start[bin + 1] - list->bin_start[bin],
              sizeof *list->pairs, list->sort ? compare_pairs : compare_clusters);
}

bool pair_list_next(struct pair_list *list)
{
    size_t max = list->count / BATCHES_MAX > BATCH_PAIRS ? list->count / BATCHES_MAX : BATCH_PAIRS;
    size_t count = 0, first = list->next;
    while (list->next < PAIR_BINS && count < max) {
        list->bin_start[list->next] = count;
        count += list->bins[list->next++];
        list->bin_start[list->next] = count;
    }
    arrsetlen(list->pairs, count);
    if (!count)
        return false;
    visit_pairs(list, put_pair);
    for (size_t bin = first; bin < list->next; bin++)
        list->bins[bin] = 0;
    list->first = first;
    parallel_for(list->state->env->threads, (list->next - first + CHUNK - 1) / CHUNK, sort_bins,
                 list);
    return true;
}
