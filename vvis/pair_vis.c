#include "vvis/pair_vis.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/parallel.h"
#include "vvis/clusters.h"
#include "vvis/lines.h"

enum {
    RANDOM_LINES = 200, /* a cluster */
    ROUNDS = 256,
    ROUND_LEAST = 256, /* pairs */
    CHUNK = 8,
};

/* A pair gets a few lines and a short walk at first, and more of both only when these leave it
 * open: the side from which a walk is short is not known before. */
static const struct effort {
    int lines; /* so far */
    int64_t chains;
} efforts[] = {{8, 128}, {24, 2048}, {56, 32768}, {120, 1 << 17}};

enum { EFFORTS = sizeof efforts / sizeof *efforts };

struct pair {
    double distance;
    int a, b;
    enum flow_result result;
    bool arrived[2]; /* a walk from a, from b */
    bool walked;
};

struct pair_job {
    const struct env *env;
    const struct portals *portals;
    struct bit_rows *rows;
    struct bit_rows open, proven; /* a row a cluster */
    struct lines *lines;
    struct flow **flows;           /* one a thread */
    struct pair **todo, **refuted; /* stb_ds arrays: of the round */
    int effort;
};

/* A line through portal x and then y visits the clusters on both sides of both: each must see each.
 * For a row x, as bits of y. */
static void keep_between_open(void *context, size_t x, int thread)
{
    (void)thread;
    struct pair_job *job = context;
    const struct portals *portals = job->portals;
    uint64_t *row = bit_row(job->rows, x);
    const uint64_t *ahead = bit_row(&job->open, (size_t)portals->to[x]);
    const uint64_t *behind = bit_row(&job->open, (size_t)portals->to[x ^ 1]);
    size_t words = job->rows->words;
    for (size_t y = bit_next(row, words, 0); y != SIZE_MAX; y = bit_next(row, words, y + 1)) {
        size_t from = (size_t)portals->to[y ^ 1], to = (size_t)portals->to[y];
        if (!bit_get(ahead, from) || !bit_get(ahead, to) || !bit_get(behind, from) ||
            !bit_get(behind, to))
            bit_clear(row, y);
    }
}

/* Takes from the rows of all portals of cluster a the portals of cluster b, both ways each. Other
 * threads may do the same for other pairs: bits only go, in one operation a word. */
static void clear_between(struct pair_job *job, int a, int b)
{
    const struct portals *portals = job->portals;
    for (int i = portals->first[a]; i < portals->first[a + 1]; i++) {
        for (int way = 0; way < 2; way++) {
            uint64_t *row = bit_row(job->rows, (size_t)(portals->leaving[i] ^ way));
            for (int k = portals->first[b]; k < portals->first[b + 1]; k++) {
                size_t even = (size_t)portals->leaving[k] & ~(size_t)1;
                uint64_t bits = (uint64_t)3 << (even % 64);
                if (__atomic_load_n(&row[even / 64], __ATOMIC_RELAXED) & bits)
                    __atomic_fetch_and(&row[even / 64], ~bits, __ATOMIC_RELAXED);
            }
        }
    }
}

static bool is_proven(const struct pair_job *job, const struct pair *pair)
{
    return bit_get(bit_row(&job->proven, (size_t)pair->a), (size_t)pair->b);
}

/* Whether any portal out of a may see one into b. */
static bool may_see(const struct pair_job *job, int a, int b)
{
    const struct portals *portals = job->portals;
    for (int i = portals->first[a]; i < portals->first[a + 1]; i++) {
        const uint64_t *row = bit_row(job->rows, (size_t)portals->leaving[i]);
        for (int k = portals->first[b]; k < portals->first[b + 1]; k++)
            if (bit_get(row, (size_t)portals->leaving[k] ^ 1))
                return true;
    }
    return false;
}

/* Walks from one side. True when the pair is decided. */
static bool walk_from(struct pair_job *job, struct pair *pair, int side, int thread)
{
    if (pair->arrived[side])
        return false;
    int from = side ? pair->b : pair->a, to = side ? pair->a : pair->b;
    struct flow_arrival arrival;
    enum flow_result result =
        flow_pair(job->flows[thread], from, to, efforts[job->effort].chains, &arrival);
    pair->walked = true;
    pair->arrived[side] = result == FLOW_ARRIVED;
    if (result == FLOW_REFUTED)
        pair->result = FLOW_REFUTED;
    else if (result == FLOW_ARRIVED &&
             (pair->arrived[!side] ||
              lines_reach(job->lines, arrival.portal, arrival.from, arrival.to, to, thread)))
        pair->result = FLOW_ARRIVED;
    return pair->result != FLOW_OPEN;
}

/* Some pairs of job->todo, since one is often too little work to hand out. */
static void decide_some(void *context, size_t chunk, int thread)
{
    struct pair_job *job = context;
    int before = job->effort ? efforts[job->effort - 1].lines : 0;
    int lines = efforts[job->effort].lines;
    for (size_t i = chunk * CHUNK; i < (chunk + 1) * CHUNK && i < arrlenu(job->todo); i++) {
        struct pair *pair = job->todo[i];
        if (lines_at_pair(job->lines, pair->a, pair->b, before, lines, thread))
            pair->result = FLOW_ARRIVED;
        else if (!walk_from(job, pair, 0, thread))
            walk_from(job, pair, 1, thread);
    }
}

static void clear_some(void *context, size_t chunk, int thread)
{
    (void)thread;
    struct pair_job *job = context;
    for (size_t i = chunk * CHUNK; i < (chunk + 1) * CHUNK && i < arrlenu(job->refuted); i++) {
        const struct pair *pair = job->refuted[i];
        clear_between(job, pair->a, pair->b);
        clear_between(job, pair->b, pair->a);
    }
}

static int compare_pairs(const void *left, const void *right)
{
    const struct pair *x = left, *y = right;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

/* The pairs that are open and not proven; with `sort` the nearest first. */
static struct pair *list_pairs(const struct pair_job *job, bool sort)
{
    struct pair *pairs = NULL;
    size_t words = job->open.words;
    uint64_t *rest = memory_aligned(words, sizeof *rest);
    for (int a = 0; a < job->portals->cluster_count; a++) {
        const uint64_t *open = bit_row(&job->open, (size_t)a);
        const uint64_t *proven = bit_row(&job->proven, (size_t)a);
        for (size_t k = 0; k < words; k++)
            rest[k] = open[k] & ~proven[k];
        for (size_t b = bit_next(rest, words, (size_t)a + 1); b != SIZE_MAX;
             b = bit_next(rest, words, b + 1)) {
            struct vec3 from = bounds_center(&job->portals->reaches[a]);
            struct vec3 to = bounds_center(&job->portals->reaches[b]);
            struct pair pair = {.distance = vec3_distance(from, to), .a = a, .b = (int)b};
            arrput(pairs, pair);
        }
    }
    memory_free(rest);
    if (pairs && sort)
        qsort(pairs, arrlenu(pairs), sizeof *pairs, compare_pairs);
    return pairs;
}

/* What is known of the pairs of the round before any effort. The others are left to do. */
static void settle(struct pair_job *job, struct pair *pairs, size_t count)
{
    arrsetlen(job->todo, 0);
    for (size_t i = 0; i < count; i++) {
        struct pair *pair = &pairs[i];
        if (is_proven(job, pair))
            pair->result = FLOW_ARRIVED;
        else if (!may_see(job, pair->a, pair->b))
            pair->result = FLOW_REFUTED;
        else
            arrput(job->todo, pair);
    }
}

/* Keeps in job->todo what is still open. */
static void settle_again(struct pair_job *job)
{
    size_t open = 0;
    for (size_t i = 0; i < arrlenu(job->todo); i++) {
        struct pair *pair = job->todo[i];
        if (pair->result == FLOW_OPEN && is_proven(job, pair))
            pair->result = FLOW_ARRIVED;
        if (pair->result == FLOW_OPEN)
            job->todo[open++] = pair;
    }
    arrsetlen(job->todo, open);
}

static void decide_round(struct pair_job *job, struct pair *pairs, size_t count)
{
    settle(job, pairs, count);
    for (job->effort = 0; job->effort < EFFORTS; job->effort++) {
        size_t chunks = (arrlenu(job->todo) + CHUNK - 1) / CHUNK;
        parallel_for(job->env->threads, chunks, decide_some, job);
        settle_again(job);
    }
}

static void finish_round(struct pair_job *job, struct pair *pairs, size_t count,
                         struct pair_counts *counts)
{
    arrsetlen(job->refuted, 0);
    for (size_t i = 0; i < count; i++) {
        struct pair *pair = &pairs[i];
        counts->walked += pair->walked;
        if (pair->result != FLOW_REFUTED)
            continue;
        arrput(job->refuted, pair);
        bit_clear(bit_row(&job->open, (size_t)pair->a), (size_t)pair->b);
        bit_clear(bit_row(&job->open, (size_t)pair->b), (size_t)pair->a);
    }
    counts->refuted += (int64_t)arrlenu(job->refuted);
    counts->given_up += (int64_t)arrlenu(job->todo);
    size_t chunks = (arrlenu(job->refuted) + CHUNK - 1) / CHUNK;
    parallel_for(job->env->threads, chunks, clear_some, job);
}

static void decide_all(struct pair_job *job, bool sort, struct pair_counts *counts)
{
    const struct env *env = job->env;
    struct pair *pairs = list_pairs(job, sort);
    size_t count = arrlenu(pairs), size = count / ROUNDS + ROUND_LEAST;
    counts->pairs = (int64_t)count;
    job->flows = memory_zalloc((size_t)env->threads, sizeof *job->flows);
    for (int i = 0; i < env->threads; i++)
        job->flows[i] = flow_new(job->portals, job->rows);
    progress_begin(env->progress, "pairs of clusters", (count + size - 1) / size);
    for (size_t done = 0; done < count; done += size) {
        size_t some = count - done < size ? count - done : size;
        decide_round(job, pairs + done, some);
        finish_round(job, pairs + done, some, counts);
        progress_step(env->progress);
    }
    progress_end(env->progress);
    for (int i = 0; i < env->threads; i++) {
        flow_add_counts(job->flows[i], &counts->flow);
        flow_free(job->flows[i]);
    }
    memory_free(job->flows);
    arrfree(job->todo);
    arrfree(job->refuted);
    arrfree(pairs);
}

struct bit_rows pair_vis(const struct env *env, const struct portals *portals, bool sort,
                         struct bit_rows *rows, struct pair_counts *counts)
{
    size_t clusters = (size_t)portals->cluster_count;
    *counts = (struct pair_counts){0};
    struct pair_job job = {
        .env = env,
        .portals = portals,
        .rows = rows,
        .open = clusters_from_portals(env, portals, rows),
        .proven = bit_rows_new(clusters, clusters),
    };
    clusters_symmetric(&job.open, portals->cluster_count);
    parallel_for(env->threads, (size_t)portals->count, keep_between_open, &job);
    job.lines = lines_new(env, portals, rows, &job.proven);
    progress_begin(env->progress, "random lines", 0);
    lines_at_random(job.lines, RANDOM_LINES);
    progress_end(env->progress);
    decide_all(&job, sort, counts);
    counts->lines = lines_free(job.lines);
    memory_free(job.proven.data);
    return job.open;
}
