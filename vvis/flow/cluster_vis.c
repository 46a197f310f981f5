#include "vvis/flow/cluster_vis.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/random.h"
#include "common/farm/farm.h"
#include "common/farm/rank_values.h"
#include "common/parallel/parallel.h"
#include "vvis/flow/pair_rounds.h"

enum {
    ROUND_MIN = 24,      /* clusters; results of a round do not help the rest of the round */
    ROUND_MAX = 128,     /* clusters */
    ROUND_SHARE = 16,    /* fraction (1 / N) of the clusters left */
    CHAINS_PER_PAIR = 8, /* about the cost of deciding one pair by itself */
    CHAINS_MIN = 512,    /* of one cluster */
    CHAINS_MAX = 4096,
    SAMPLE = 256, /* clusters sampled to test whether the map is open */
};

struct ranked {
    size_t seen;          /* clusters, by sightlines so far */
    int thread;           /* the thread whose cache has its rows: see vis_state_cull_unseen */
    size_t neighbour_max; /* the most clusters that a neighbour sees, by sightlines, when the round
                             begins */
    int cluster;
    int64_t max;    /* chains */
    int64_t chains; /* that its walk took */
    bool whole;     /* the walk was completed */
};

struct cluster_job {
    struct vis_state *state;
    struct effort *effort;
    struct ranked *round;
    size_t *first; /* per thread, its first cluster of the round; and the end */
    struct bit_rows
        seen; /* per cluster of the round; when the walk was completed, the unseen clusters */
    struct bit_rows met; /* per thread: clusters on lines through the current one */
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->seen != right->seen)
        return left->seen < right->seen ? -1 : 1;
    return left->cluster - right->cluster;
}

static struct ranked *rank(const struct vis_state *state)
{
    size_t clusters = (size_t)state->portals->cluster_count;
    struct ranked *order = memory_zalloc(clusters, sizeof *order);
    for (size_t c = 0; c < clusters; c++) {
        order[c].seen = sightlines_proven(state->lines, c);
        order[c].cluster = (int)c;
    }
    qsort(order, clusters, sizeof *order, compare_ranked);
    return order;
}

/* Starts with the proven clusters, and sets the budget. */
static void begin_row(struct cluster_job *job, size_t index)
{
    const struct vis_state *state = job->state;
    struct ranked *ranked = &job->round[index];
    const uint64_t *proven = bit_row(&state->proven, (size_t)ranked->cluster);
    const uint64_t *mightsee = bit_row(&state->mightsee, (size_t)ranked->cluster);
    uint64_t *seen = bit_row(&job->seen, index);
    size_t undecided = 0;
    for (size_t word = 0; word < state->mightsee.words; word++) {
        seen[word] = proven[word];
        undecided += (size_t)__builtin_popcountll(mightsee[word] & ~proven[word]);
    }
    ranked->max = CHAINS_MIN + CHAINS_PER_PAIR * (int64_t)undecided;
    if (ranked->max > CHAINS_MAX)
        ranked->max = (int64_t)CHAINS_MAX;
}

static void resolve_cluster(void *context, size_t index, int thread)
{
    struct cluster_job *job = context;
    struct vis_state *state = job->state;
    struct ranked *ranked = &job->round[index];
    struct flow *flow = job->effort->flows[thread];
    int64_t before = flow_chains(flow);
    begin_row(job, index);
    ranked->whole = flow_cluster(flow, &state->mightsee, ranked->cluster, ranked->max,
                                 bit_row(&job->seen, index));
    if (ranked->whole)
        vis_state_take_unseen(state, ranked->cluster, bit_row(&job->seen, index));
    ranked->chains = flow_chains(flow) - before;
    size_t count;
    const struct flow_arrival *const *arrivals = flow_arrivals(flow, &count);
    uint64_t *met = bit_row(&job->met, (size_t)thread);
    memset(met, 0, job->met.words * sizeof *met);
    for (size_t i = 0; i < count; i++)
        if (!bit_get(met, (size_t)arrivals[i]->cluster))
            sightlines_try_arrival(state->lines, ranked->cluster, arrivals[i], met, thread);
    progress_step(state->env->progress);
}

static void pack_cluster(void *context, size_t index, struct bytes *out)
{
    const struct cluster_job *job = context;
    const struct ranked *ranked = &job->round[index];
    bytes_u64(out, (uint64_t)ranked->chains);
    bytes_u8(out, ranked->whole);
    if (ranked->whole)
        bits_pack(bit_row(&job->seen, index), job->seen.words, out);
}

static void unpack_cluster(void *context, size_t index, struct byte_reader *in)
{
    struct cluster_job *job = context;
    struct ranked *ranked = &job->round[index];
    uint64_t *seen = bit_row(&job->seen, index);
    ranked->chains = rank_count(in);
    effort_add(job->effort, ranked->chains, in);
    ranked->whole = read_u8(in) != 0;
    memset(seen, 0, job->seen.words * sizeof *seen);
    if (ranked->whole)
        bits_unpack(seen, job->seen.words, (size_t)job->state->portals->cluster_count, in);
    progress_step(job->state->env->progress);
}

static void pack_lines(void *context, struct bytes *out)
{
    const struct cluster_job *job = context;
    sightlines_pack(job->state->lines, out);
}

static void unpack_lines(void *context, struct byte_reader *in)
{
    const struct cluster_job *job = context;
    sightlines_unpack(job->state->lines, in);
}

static int compare_in_round(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->thread != right->thread)
        return left->thread - right->thread;
    if (left->neighbour_max != right->neighbour_max)
        return left->neighbour_max > right->neighbour_max ? -1 : 1;
    return left->cluster - right->cluster;
}

/* Sorts by thread, because consecutive clusters are mostly close together and see each other: a
 * thread then reads little that others have written. Within a thread, the clusters that probably
 * take longest go first, so that none of them is left for the end. */
static void sort_round(const struct cluster_job *job, struct ranked *round, size_t count)
{
    const struct vis_state *state = job->state;
    const struct portals *portals = state->portals;
    /* ranks may differ in their threads, and must agree on the order */
    int threads = farm_is_there(state->env) ? 1 : state->env->threads;
    size_t words = portals_cluster_words(portals);
    memset(job->first, 0, ((size_t)threads + 1) * sizeof *job->first);
    for (size_t i = 0; i < count; i++) {
        int cluster = round[i].cluster;
        round[i].thread = parallel_chunk_of(threads, words, (size_t)cluster / 64);
        job->first[round[i].thread + 1]++;
        round[i].neighbour_max = 0;
        for (int k = portals->first[cluster]; k < portals->first[cluster + 1]; k++) {
            size_t next = (size_t)portals->to[portals->leaving[k]];
            size_t seen = sightlines_proven(state->lines, next);
            round[i].neighbour_max = seen > round[i].neighbour_max ? seen : round[i].neighbour_max;
        }
    }
    for (int t = 0; t < threads; t++)
        job->first[t + 1] += job->first[t];
    qsort(round, count, sizeof *round, compare_in_round);
}

/* Returns the index of set bit n; the row has more than n. */
static size_t nth_bit(const uint64_t *row, size_t n)
{
    size_t word = 0;
    for (size_t count; (count = bit_count(&row[word], 1)) <= n; word++)
        n -= count;
    uint64_t left = row[word];
    for (; n; n--)
        left &= left - 1;
    return 64 * word + (size_t)__builtin_ctzll(left);
}

struct pair_sample {
    struct vis_state *state;
    struct bit_rows rest; /* one per thread */
    size_t step;          /* sample every step-th cluster */
    size_t count, hits;
};

/* Traces lines for one of the cluster's undecided pairs, if there is any. */
static void sample_pair(void *context, size_t index, int thread)
{
    struct pair_sample *pair_sample = context;
    struct vis_state *state = pair_sample->state;
    size_t a = index * pair_sample->step, count = 0;
    const uint64_t *mightsee = bit_row(&state->mightsee, a), *proven = bit_row(&state->proven, a);
    uint64_t *rest = bit_row(&pair_sample->rest, (size_t)thread);
    for (size_t word = 0; word < state->mightsee.words; word++)
        rest[word] = mightsee[word] & ~proven[word];
    count = bit_count(rest, state->mightsee.words);
    if (!count)
        return;
    size_t b = nth_bit(rest, hash_pair(a, count) % count);
    bool hit = sightlines_try_pair(state->lines, (int)a, (int)b, 0, 2, thread);
    __atomic_fetch_add(&pair_sample->count, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&pair_sample->hits, hit, __ATOMIC_RELAXED);
}

/* Returns whether sightlines reach many of the sampled undecided pairs: then the map is open. */
static bool is_open_map(struct vis_state *state)
{
    size_t clusters = (size_t)state->portals->cluster_count;
    struct pair_sample pair_sample = {.state = state,
                                      .rest = bit_rows_new((size_t)state->env->threads, clusters),
                                      .step = clusters / SAMPLE + 1};
    size_t count = (clusters + pair_sample.step - 1) / pair_sample.step;
    parallel_for(state->env->threads, count, sample_pair, &pair_sample);
    sightlines_commit(state->lines);
    sightlines_count_on_first_rank(state->lines);
    memory_free(pair_sample.rest.data);
    return 10 * pair_sample.hits > pair_sample.count;
}

static void resolve_clusters(struct cluster_job *job, size_t count)
{
    const struct env *env = job->state->env;
    const struct ranks_loop loop = {.count = count,
                                    .item = resolve_cluster,
                                    .context = job,
                                    .pack = pack_cluster,
                                    .unpack = unpack_cluster,
                                    .pack_rest = pack_lines,
                                    .unpack_rest = unpack_lines};
    sort_round(job, job->round, count);
    if (farm_is_there(env))
        (void)ranks_for(env->ranks, env->threads, &loop);
    else
        parallel_ranges(env->threads, job->first, resolve_cluster, job);
}

/* Returns whether it is worthwhile to continue. */
static bool resolve_round(struct cluster_job *job, size_t count, struct checkpoint *checkpoint,
                          struct cluster_counts *counts)
{
    struct vis_state *state = job->state;
    resolve_clusters(job, count);
    for (size_t i = 0; i < count; i++)
        checkpoint_add_cost(checkpoint, job->round[i].chains, job->round[i].cluster,
                            job->round[i].cluster);
    struct resolved_cluster resolved[ROUND_MAX];
    size_t whole = 0;
    for (size_t i = 0; i < count; i++)
        if (job->round[i].whole)
            resolved[whole++] =
                (struct resolved_cluster){job->round[i].cluster, bit_row(&job->seen, i)};
    counts->clusters += (int64_t)whole;
    counts->culled += vis_state_cull_unseen(state, resolved, whole);
    return 4 * whole >= 3 * count;
}

static size_t round_size(size_t left)
{
    size_t size = left / ROUND_SHARE;
    size = size > ROUND_MIN ? size : ROUND_MIN;
    size = size < ROUND_MAX ? size : ROUND_MAX;
    return size < left ? size : left;
}

/* The pairs are the last matrix, behind one with a row per cluster. */
static bool saved_fits(const struct bit_matrix *matrices, size_t count)
{
    return pair_rounds_saved_fits(matrices[count - 1].rows, matrices[count - 2].count);
}

/* Begins the checkpoint with everything that a round changes. */
static size_t begin_rounds(struct vis_state *state, struct checkpoint *checkpoint,
                           struct bit_rows *candidates, struct bit_rows *saved)
{
    size_t clusters = (size_t)state->portals->cluster_count;
    const struct bit_matrix known[] = {{&state->mightsee, clusters, clusters},
                                       {&state->proven, clusters, clusters},
                                       {candidates, clusters, clusters},
                                       {saved, 1, 64 * saved->words}};
    return checkpoint_begin(checkpoint, known, sizeof known / sizeof *known, saved_fits);
}

size_t cluster_vis(struct vis_state *state, struct effort *effort, struct checkpoint *checkpoint,
                   struct bit_rows *candidates, struct bit_rows *saved,
                   struct cluster_counts *counts)
{
    size_t clusters = (size_t)state->portals->cluster_count;
    *counts = (struct cluster_counts){0};
    /* A resumed run uses the order of the first start, too. */
    struct ranked *order = rank(state);
    size_t start = begin_rounds(state, checkpoint, candidates, saved);
    if (start)
        sightlines_recount(state->lines);
    effort->before = pair_rounds_spent(saved);
    if (start >= PAIR_ROUNDS_BASE || (!start && is_open_map(state))) {
        memory_free(order);
        return start;
    }
    struct cluster_job job = {
        .state = state,
        .effort = effort,
        .seen = bit_rows_new(ROUND_MAX, clusters),
        .met = bit_rows_new((size_t)state->env->threads, clusters),
        .first = memory_zalloc((size_t)state->env->threads + 1, sizeof *job.first),
    };
    size_t done = start ? start - 1 : 0;
    progress_begin(state->env->progress, "cluster flow", done < clusters ? clusters - done : 0);
    bool worthwhile = true;
    while (done < clusters && worthwhile && !effort_is_over(effort)) {
        pair_rounds_save_spent(saved, effort_spent(effort));
        if (!checkpoint_poll(checkpoint, 1 + done))
            break;
        size_t count = round_size(clusters - done);
        job.round = order + done;
        worthwhile = resolve_round(&job, count, checkpoint, counts);
        done += count;
    }
    progress_end(state->env->progress);
    memory_free(job.seen.data);
    memory_free(job.met.data);
    memory_free(job.first);
    memory_free(order);
    return start;
}
