#include "vvis/flow/pair_rounds.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/clock.h"
#include "common/core/memory.h"
#include "common/farm/ranks.h"
#include "common/parallel/parallel.h"

/* Sums of chains are far below this. */
#define MAX_CHAINS ((int64_t)1 << 61)

int64_t effort_spent(const struct effort *effort)
{
    int64_t chains = effort->before + effort->elsewhere;
    for (int i = 0; i < effort->threads; i++)
        chains += flow_chains(effort->flows[i]);
    return chains;
}

void effort_add(struct effort *effort, int64_t chains, struct byte_reader *in)
{
    if (chains > MAX_CHAINS - effort->elsewhere)
        in->failed = true;
    else
        effort->elsewhere += chains;
}

bool effort_is_over(struct effort *effort)
{
    if (effort->chains > 0 && effort_spent(effort) >= effort->chains)
        effort->is_over = true;
    if (effort->deadline > 0) {
        uint8_t is_late = clock_seconds(CLOCK_MONOTONIC) >= effort->deadline;
        ranks_broadcast_block(effort->ranks, &is_late, sizeof is_late);
        effort->is_over |= is_late != 0;
    }
    return effort->is_over;
}

/* --- pair list --- */

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

/* Lists the pairs in `candidates`, a row per cluster; `out` must not move. */
static void pair_list_new(const struct vis_state *state, const struct bit_rows *candidates,
                          bool sort, struct pair_list *out)
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

static void pair_list_free(struct pair_list *list)
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

/* Puts the next batch into list->pairs. Returns false when there is none. */
static bool pair_list_next(struct pair_list *list)
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

/* --- pair rounds --- */

enum { ROUNDS = 384, ROUND_MIN = 256 /* pairs */ };

/* Enough hard pairs to keep all threads busy. */
enum { BATCH_MIN = 64 };

const struct budget pair_budgets[BUDGETS] = {
    {4, 48, 1}, {24, 1024, 1}, {56, 32768, 4}, {120, 1 << 17, 16}};

/* Chains that the last budget may use in total: this minimum, plus a fraction (1 / N) of what
 * the other budgets used. The minimum is about a second's work, so maps that take a few seconds
 * are decided completely. */
enum { LAST_CHAINS = 1 << 22, LAST_SHARE = 32 };

/* Before the pairs: the number of the round, the number of pairs, the chains, and the effort. */
enum { SAVED_SPENT = 4, SAVED_HEADER };

/* A pair in a word: the two clusters, its budget, the sides from which a walk arrived. */
enum { CLUSTER_BITS = 24, BUDGET_AT = 2 * CLUSTER_BITS, ARRIVED_AT = BUDGET_AT + 8 };

/* A budget has at most the pairs of a round and what was too few for an earlier round. */
struct bit_rows pair_rounds_saved_new(int clusters)
{
    size_t count = (size_t)clusters, round = count * count / 2 / ROUNDS + ROUND_MIN;
    return bit_rows_new(1, 64 * (SAVED_HEADER + BUDGETS * (round + BATCH_MIN)));
}

int64_t pair_rounds_spent(const struct bit_rows *saved)
{
    return (int64_t)saved->data[SAVED_SPENT];
}

void pair_rounds_save_spent(struct bit_rows *saved, int64_t spent)
{
    saved->data[SAVED_SPENT] = (uint64_t)spent;
}

static struct pair pair_of(uint64_t word)
{
    const uint64_t mask = ((uint64_t)1 << CLUSTER_BITS) - 1;
    struct pair pair = {.a = (int)(word & mask),
                        .b = (int)(word >> CLUSTER_BITS & mask),
                        .budget = (int)(word >> BUDGET_AT & 0xff),
                        .sent_to_flow = true};
    for (int side = 0; side < 2; side++)
        pair.arrived[side] = word >> (ARRIVED_AT + side) & 1;
    return pair;
}

bool pair_rounds_saved_fits(const struct bit_rows *saved, size_t clusters)
{
    const uint64_t *words = saved->data;
    if (words[1] > saved->words - SAVED_HEADER || words[2] > MAX_CHAINS || words[3] > MAX_CHAINS ||
        words[SAVED_SPENT] > MAX_CHAINS)
        return false;
    for (size_t i = SAVED_HEADER; i < SAVED_HEADER + words[1]; i++) {
        struct pair pair = pair_of(words[i]);
        if ((size_t)pair.a >= clusters || (size_t)pair.b >= clusters || pair.a == pair.b ||
            pair.budget < 1 || pair.budget >= BUDGETS)
            return false;
    }
    return true;
}

/* Of a file that fits, or zeros. */
static void load_saved(struct pair_rounds *rounds)
{
    const uint64_t *words = rounds->saved.data;
    rounds->number = (size_t)words[0];
    rounds->chains = (int64_t)words[2];
    rounds->last_chains = (int64_t)words[3];
    for (size_t i = SAVED_HEADER; i < SAVED_HEADER + words[1]; i++) {
        struct pair pair = pair_of(words[i]);
        arrput(rounds->deferred[pair.budget], pair);
    }
}

void pair_rounds_save(struct pair_rounds *rounds, int64_t spent)
{
    uint64_t *words = rounds->saved.data;
    size_t at = SAVED_HEADER;
    memset(words, 0, rounds->saved_words * sizeof *words);
    for (int budget = 0; budget < BUDGETS; budget++) {
        for (size_t i = 0; i < arrlenu(rounds->deferred[budget]) && at < rounds->saved.words; i++) {
            const struct pair *pair = &rounds->deferred[budget][i];
            words[at++] = (uint64_t)pair->a | (uint64_t)pair->b << CLUSTER_BITS |
                          (uint64_t)pair->budget << BUDGET_AT |
                          (uint64_t)pair->arrived[0] << ARRIVED_AT |
                          (uint64_t)pair->arrived[1] << (ARRIVED_AT + 1);
        }
    }
    words[0] = rounds->number;
    words[1] = at - SAVED_HEADER;
    words[2] = (uint64_t)rounds->chains;
    words[3] = (uint64_t)rounds->last_chains;
    words[SAVED_SPENT] = (uint64_t)spent;
    rounds->saved_words = at;
}

void pair_rounds_new(const struct vis_state *state, const struct bit_rows *candidates, size_t start,
                     bool sort, struct bit_rows saved, struct pair_rounds *out)
{
    memset(out, 0, sizeof *out);
    pair_list_new(state, candidates, sort, &out->list);
    out->size = out->list.count / ROUNDS + ROUND_MIN;
    out->start = start;
    out->saved = saved;
    out->saved_words = saved.words;
    load_saved(out);
}

void pair_rounds_free(struct pair_rounds *rounds)
{
    for (int i = 0; i < BUDGETS; i++)
        arrfree(rounds->deferred[i]);
    arrfree(rounds->current);
    pair_list_free(&rounds->list);
}

/* Returns the number of list.pairs in the next round. */
static size_t slice_size(const struct pair_rounds *rounds)
{
    size_t left = arrlenu(rounds->list.pairs) - rounds->slice;
    return left < rounds->size ? left : rounds->size;
}

/* Finds the next new pairs; skips what an earlier run has done. */
static bool find_new(struct pair_rounds *rounds)
{
    for (;;) {
        if (rounds->slice == arrlenu(rounds->list.pairs)) {
            rounds->slice = 0;
            if (!pair_list_next(&rounds->list))
                return false;
        }
        if (rounds->at >= rounds->start)
            return true;
        rounds->at += slice_size(rounds);
        rounds->slice += slice_size(rounds);
    }
}

bool pair_rounds_more(struct pair_rounds *rounds)
{
    size_t deferred = 0;
    for (int i = 0; i < BUDGETS; i++)
        deferred += arrlenu(rounds->deferred[i]);
    return find_new(rounds) || deferred;
}

/* Returns how many pairs the last budget still has chains for, if each uses all of its chains. */
static size_t last_capacity(const struct pair_rounds *rounds)
{
    int64_t left = LAST_CHAINS + rounds->chains / LAST_SHARE - rounds->last_chains;
    int64_t each = 2 * pair_budgets[BUDGETS - 1].chains;
    return left > 0 ? (size_t)((left + each - 1) / each) : 0;
}

/* Returns how many of the deferred pairs a round takes. Pairs that need the last budget may have
 * to wait, or go over budget: all when no chains are left, else those that would not fit. */
static size_t take_deferred(struct pair_rounds *rounds, int budget)
{
    size_t deferred = arrlenu(rounds->deferred[budget]);
    if (budget < BUDGETS - 1)
        return deferred;
    size_t room = last_capacity(rounds), max = room ? room + rounds->size : 0;
    if (deferred > max) {
        arrsetlen(rounds->deferred[budget], max);
        rounds->over_budget += deferred - max;
        deferred = max;
    }
    return deferred < room ? deferred : room;
}

static void append_pairs(struct pair_rounds *rounds, const struct pair *pairs, size_t count)
{
    size_t at = arrlenu(rounds->current);
    arrsetlen(rounds->current, at + count);
    memcpy(rounds->current + at, pairs, count * sizeof *pairs);
}

void pair_rounds_begin(struct pair_rounds *rounds)
{
    size_t count = slice_size(rounds);
    arrsetlen(rounds->current, 0);
    for (int budget = BUDGETS - 1; budget > 0; budget--) {
        size_t deferred = arrlenu(rounds->deferred[budget]);
        /* without new pairs there is nothing to wait for */
        if (count && deferred < BATCH_MIN && rounds->number % (size_t)pair_budgets[budget].period)
            continue;
        size_t taken = take_deferred(rounds, budget);
        if (!taken)
            continue;
        append_pairs(rounds, rounds->deferred[budget], taken);
        arrdeln(rounds->deferred[budget], 0, taken);
    }
    if (count)
        append_pairs(rounds, rounds->list.pairs + rounds->slice, count);
    rounds->slice += count;
    rounds->at += count;
    rounds->number++;
}

void pair_rounds_end(struct pair_rounds *rounds)
{
    for (size_t i = 0; i < arrlenu(rounds->current); i++) {
        struct pair pair = rounds->current[i];
        *(pair.budget == BUDGETS - 1 ? &rounds->last_chains : &rounds->chains) += pair.chains;
        pair.chains = 0;
        if (pair.result != FLOW_UNDECIDED)
            continue;
        if (++pair.budget < BUDGETS)
            arrput(rounds->deferred[pair.budget], pair);
        else
            rounds->over_budget++;
    }
}

int64_t pair_rounds_give_up(struct pair_rounds *rounds)
{
    const struct vis_state *state = rounds->list.state;
    int64_t left = 0;
    for (int i = 0; i < BUDGETS; i++)
        left += arrlen(rounds->deferred[i]);
    while (find_new(rounds)) {
        size_t count = slice_size(rounds);
        for (size_t i = 0; i < count; i++) {
            const struct pair *pair = &rounds->list.pairs[rounds->slice + i];
            left += !vis_state_is_proven(state, pair->a, pair->b) &&
                    bit_get(bit_row(&state->mightsee, (size_t)pair->a), (size_t)pair->b);
        }
        rounds->slice += count;
        rounds->at += count;
    }
    return left;
}
