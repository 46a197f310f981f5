#include "vvis/flow/cluster_vis.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/random.h"
#include "common/parallel/parallel.h"

enum {
    ROUND_MIN = 24,    /* clusters; what is settled in a round is of no use to the rest of it */
    ROUND_MAX = 128,   /* the same */
    ROUND_SHARE = 16,  /* so manyth part of what is left */
    CHAINS_A_PAIR = 8, /* about what a pair costs by itself */
    CHAINS_MIN = 512,  /* of one cluster */
    CHAINS_MAX = 4096,
    SAMPLE = 256, /* clusters that are asked whether the map is open */
};

struct ranked {
    size_t seen;   /* clusters, by lines so far */
    int home;      /* the thread that has its rows at hand: that of its word in sight_refute_rest */
    size_t beyond; /* the most that a neighbour of it sees, by lines, as the round begins */
    int cluster;
    int64_t max; /* chains */
    bool whole;  /* the walk came to its end */
};

struct cluster_job {
    struct sight *sight;
    struct rounds *rounds;
    struct flow **flows; /* one a thread */
    struct ranked *round;
    size_t *first;        /* of the round, by home; and their end */
    struct bit_rows seen; /* one a cluster of the round; of what was walked through, what is not */
    struct bit_rows met;  /* one a thread: clusters on lines through the one in hand */
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->seen != right->seen)
        return left->seen < right->seen ? -1 : 1;
    return left->cluster - right->cluster;
}

static struct ranked *rank(const struct sight *sight)
{
    size_t clusters = (size_t)sight->portals->cluster_count;
    struct ranked *order = memory_zalloc(clusters, sizeof *order);
    for (size_t c = 0; c < clusters; c++) {
        order[c].seen = lines_proven(sight->lines, c);
        order[c].cluster = (int)c;
    }
    qsort(order, clusters, sizeof *order, compare_ranked);
    return order;
}

/* Starts with what is proven. */
static void begin_row(struct cluster_job *job, size_t index)
{
    const struct sight *sight = job->sight;
    struct ranked *ranked = &job->round[index];
    const uint64_t *proven = bit_row(&sight->proven, (size_t)ranked->cluster);
    const uint64_t *open = bit_row(&sight->open, (size_t)ranked->cluster);
    uint64_t *seen = bit_row(&job->seen, index);
    size_t undecided = 0;
    for (size_t word = 0; word < sight->open.words; word++) {
        seen[word] = proven[word];
        undecided += (size_t)__builtin_popcountll(open[word] & ~proven[word]);
    }
    ranked->max = CHAINS_MIN + CHAINS_A_PAIR * (int64_t)undecided;
    if (ranked->max > CHAINS_MAX)
        ranked->max = (int64_t)CHAINS_MAX;
}

static void settle_cluster(void *context, size_t index, int thread)
{
    struct cluster_job *job = context;
    struct sight *sight = job->sight;
    struct ranked *ranked = &job->round[index];
    struct flow *flow = job->flows[thread];
    begin_row(job, index);
    ranked->whole =
        flow_cluster(flow, &sight->open, ranked->cluster, ranked->max, bit_row(&job->seen, index));
    if (ranked->whole)
        sight_take_rest(sight, ranked->cluster, bit_row(&job->seen, index));
    rounds_cost(job->rounds, thread, flow_chains(flow), ranked->cluster, ranked->cluster);
    size_t count;
    const struct flow_arrival *const *arrivals = flow_arrivals(flow, &count);
    uint64_t *met = bit_row(&job->met, (size_t)thread);
    memset(met, 0, job->met.words * sizeof *met);
    for (size_t i = 0; i < count; i++)
        if (!bit_get(met, (size_t)arrivals[i]->cluster))
            lines_at_arrival(sight->lines, ranked->cluster, arrivals[i], met, thread);
    progress_step(sight->env->progress);
}

static int compare_in_round(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->home != right->home)
        return left->home - right->home;
    if (left->beyond != right->beyond)
        return left->beyond > right->beyond ? -1 : 1;
    return left->cluster - right->cluster;
}

/* By home, as clusters that follow each other mostly lie together on the map, and see each other:
 * of what a thread reads others have written little. And those that take the longest first, as near
 * as can be told, so that no thread is left with one of them at the end. */
static void sort_round(const struct cluster_job *job, struct ranked *round, size_t count)
{
    const struct sight *sight = job->sight;
    const struct portals *portals = sight->portals;
    int threads = sight->env->threads;
    size_t words = portals_cluster_words(portals);
    memset(job->first, 0, ((size_t)threads + 1) * sizeof *job->first);
    for (size_t i = 0; i < count; i++) {
        int cluster = round[i].cluster;
        round[i].home = parallel_stretch_of(threads, words, (size_t)cluster / 64);
        job->first[round[i].home + 1]++;
        round[i].beyond = 0;
        for (int k = portals->first[cluster]; k < portals->first[cluster + 1]; k++) {
            size_t next = (size_t)portals->to[portals->leaving[k]];
            size_t seen = lines_proven(sight->lines, next);
            round[i].beyond = seen > round[i].beyond ? seen : round[i].beyond;
        }
    }
    for (int t = 0; t < threads; t++)
        job->first[t + 1] += job->first[t];
    qsort(round, count, sizeof *round, compare_in_round);
}

/* Of a row that has more than n. */
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

struct tries {
    struct sight *sight;
    struct bit_rows rest; /* one a thread */
    size_t step;          /* every so manyth cluster */
    size_t count, hits;
};

/* One pair of the cluster's, should some be undecided. */
static void try_pair(void *context, size_t index, int thread)
{
    struct tries *tries = context;
    struct sight *sight = tries->sight;
    size_t a = index * tries->step, count = 0;
    const uint64_t *open = bit_row(&sight->open, a), *proven = bit_row(&sight->proven, a);
    uint64_t *rest = bit_row(&tries->rest, (size_t)thread);
    for (size_t word = 0; word < sight->open.words; word++)
        rest[word] = open[word] & ~proven[word];
    count = bit_count(rest, sight->open.words);
    if (!count)
        return;
    size_t b = nth_bit(rest, hash_pair(a, count) % count);
    bool hit = lines_at_pair(sight->lines, (int)a, (int)b, 0, 2, thread);
    __atomic_fetch_add(&tries->count, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&tries->hits, hit, __ATOMIC_RELAXED);
}

/* Whether lines come through to many of the undecided pairs: then the map is open. */
static bool lines_find_many(struct sight *sight)
{
    size_t clusters = (size_t)sight->portals->cluster_count;
    struct tries tries = {.sight = sight,
                          .rest = bit_rows_new((size_t)sight->env->threads, clusters),
                          .step = clusters / SAMPLE + 1};
    size_t count = (clusters + tries.step - 1) / tries.step;
    parallel_for(sight->env->threads, count, try_pair, &tries);
    lines_settle(sight->lines);
    memory_free(tries.rest.data);
    return 10 * tries.hits > tries.count;
}

/* Whether it is worth while to go on. */
static bool do_round(struct cluster_job *job, size_t count, struct cluster_counts *counts)
{
    struct sight *sight = job->sight;
    sort_round(job, job->round, count);
    parallel_parts(sight->env->threads, job->first, settle_cluster, job);
    struct settled settled[ROUND_MAX];
    size_t whole = 0;
    for (size_t i = 0; i < count; i++)
        if (job->round[i].whole)
            settled[whole++] = (struct settled){job->round[i].cluster, bit_row(&job->seen, i)};
    counts->clusters += (int64_t)whole;
    counts->refuted += sight_refute_rest(sight, settled, whole);
    return 4 * whole >= 3 * count;
}

static size_t round_size(size_t left)
{
    size_t size = left / ROUND_SHARE;
    size = size > ROUND_MIN ? size : ROUND_MIN;
    size = size < ROUND_MAX ? size : ROUND_MAX;
    return size < left ? size : left;
}

/* All that a round changes. */
static size_t begin_rounds(struct sight *sight, struct rounds *rounds, struct bit_rows *candidates,
                           struct bit_rows *kept)
{
    size_t clusters = (size_t)sight->portals->cluster_count;
    const struct state_matrix known[] = {{&sight->open, clusters, clusters},
                                         {&sight->proven, clusters, clusters},
                                         {candidates, clusters, clusters},
                                         {kept, 1, 64 * kept->words}};
    return rounds_begin(rounds, known, sizeof known / sizeof *known);
}

size_t cluster_vis(struct sight *sight, struct flow **flows, struct rounds *rounds,
                   struct bit_rows *candidates, struct bit_rows *kept,
                   struct cluster_counts *counts)
{
    size_t clusters = (size_t)sight->portals->cluster_count;
    *counts = (struct cluster_counts){0};
    /* The order is that of the beginning, also for a run that goes on. */
    struct ranked *order = rank(sight);
    size_t start = begin_rounds(sight, rounds, candidates, kept);
    if (start)
        lines_recount(sight->lines);
    if (start >= ROUNDS_OF_PAIRS || (!start && lines_find_many(sight))) {
        memory_free(order);
        return start;
    }
    struct cluster_job job = {
        .sight = sight,
        .rounds = rounds,
        .flows = flows,
        .seen = bit_rows_new(ROUND_MAX, clusters),
        .met = bit_rows_new((size_t)sight->env->threads, clusters),
        .first = memory_zalloc((size_t)sight->env->threads + 1, sizeof *job.first),
    };
    size_t done = start ? start - 1 : 0;
    progress_begin(sight->env->progress, "clusters", done < clusters ? clusters - done : 0);
    bool goes = true;
    while (done < clusters && goes && rounds_go_on(rounds, 1 + done)) {
        size_t count = round_size(clusters - done);
        job.round = order + done;
        goes = do_round(&job, count, counts);
        done += count;
    }
    progress_end(sight->env->progress);
    memory_free(job.seen.data);
    memory_free(job.met.data);
    memory_free(job.first);
    memory_free(order);
    return start;
}
