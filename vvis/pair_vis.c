#include "vvis/pair_vis.h"

#include "common/core/array.h"
#include "common/core/parallel.h"
#include "vvis/pair_list.h"

enum {
    RANDOM_LINES = 32, /* a cluster */
    ROUNDS = 256,
    ROUND_LEAST = 256, /* pairs */
    CHUNK = 8,         /* pairs: one is too little work to hand out, before much effort */
};

/* A pair gets a few lines and a short walk at first, and more of both only when these leave it
 * open: the side from which a walk is short is not known before. */
static const struct effort {
    int lines; /* so far */
    int64_t chains;
} efforts[] = {{8, 48}, {24, 1024}, {56, 32768}, {120, 1 << 17}};

enum { EFFORTS = sizeof efforts / sizeof *efforts };

struct pair_job {
    struct sight *sight;
    struct rounds *rounds;
    struct flow **flows; /* one a thread */
    struct pair *round;
    size_t round_count;
    struct pair **todo; /* stb_ds array: of the round, what is still open */
    int effort;
};

/* Whether any portal out of a may see one into b. */
static bool may_see(const struct sight *sight, int a, int b)
{
    const struct portals *portals = sight->portals;
    for (int i = portals->first[a]; i < portals->first[a + 1]; i++) {
        const uint64_t *row = bit_row(sight->rows, (size_t)portals->leaving[i]);
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
    rounds_cost(job->rounds, thread, job->flows[thread], pair->a, pair->b);
    pair->walked = true;
    pair->arrived[side] = result == FLOW_ARRIVED;
    if (result == FLOW_REFUTED)
        pair->result = FLOW_REFUTED;
    else if (result == FLOW_ARRIVED &&
             (pair->arrived[!side] ||
              lines_at_arrival(job->sight->lines, from, &arrival, NULL, thread)))
        pair->result = FLOW_ARRIVED;
    return pair->result != FLOW_OPEN;
}

static size_t chunk_of(const struct pair_job *job)
{
    return job->effort ? 1 : CHUNK;
}

/* Some pairs of job->todo. */
static void decide_some(void *context, size_t chunk, int thread)
{
    struct pair_job *job = context;
    size_t size = chunk_of(job);
    int before = job->effort ? efforts[job->effort - 1].lines : 0;
    int lines = efforts[job->effort].lines;
    for (size_t i = chunk * size; i < (chunk + 1) * size && i < arrlenu(job->todo); i++) {
        struct pair *pair = job->todo[i];
        if (lines_at_pair(job->sight->lines, pair->a, pair->b, before, lines, thread))
            pair->result = FLOW_ARRIVED;
        else if (!walk_from(job, pair, 0, thread))
            walk_from(job, pair, 1, thread);
    }
}

/* What is known of some pairs of the round before any effort. */
static void settle_some(void *context, size_t chunk, int thread)
{
    (void)thread;
    struct pair_job *job = context;
    for (size_t i = chunk * CHUNK; i < (chunk + 1) * CHUNK && i < job->round_count; i++) {
        struct pair *pair = &job->round[i];
        if (sight_is_proven(job->sight, pair->a, pair->b))
            pair->result = FLOW_ARRIVED;
        else if (!may_see(job->sight, pair->a, pair->b))
            pair->result = FLOW_REFUTED;
    }
}

/* What is still open then is left to do. */
static void settle(struct pair_job *job)
{
    size_t chunks = (job->round_count + CHUNK - 1) / CHUNK;
    parallel_for(job->sight->env->threads, chunks, settle_some, job);
    arrsetlen(job->todo, 0);
    for (size_t i = 0; i < job->round_count; i++)
        if (job->round[i].result == FLOW_OPEN)
            arrput(job->todo, &job->round[i]);
}

/* Keeps in job->todo what is still open. */
static void settle_again(struct pair_job *job)
{
    size_t open = 0;
    for (size_t i = 0; i < arrlenu(job->todo); i++) {
        struct pair *pair = job->todo[i];
        if (pair->result == FLOW_OPEN && sight_is_proven(job->sight, pair->a, pair->b))
            pair->result = FLOW_ARRIVED;
        if (pair->result == FLOW_OPEN)
            job->todo[open++] = pair;
    }
    arrsetlen(job->todo, open);
}

static void decide_round(struct pair_job *job, struct pair_counts *counts)
{
    struct sight *sight = job->sight;
    settle(job);
    for (job->effort = 0; job->effort < EFFORTS; job->effort++) {
        size_t chunks = (arrlenu(job->todo) + chunk_of(job) - 1) / chunk_of(job);
        parallel_for(sight->env->threads, chunks, decide_some, job);
        settle_again(job);
    }
    for (size_t i = 0; i < job->round_count; i++) {
        const struct pair *pair = &job->round[i];
        counts->walked += pair->walked;
        if (pair->result == FLOW_REFUTED)
            arrput(sight->refuted, ((struct cluster_pair){pair->a, pair->b}));
    }
    counts->refuted += arrlen(sight->refuted);
    counts->given_up += arrlen(job->todo);
    sight_refute(sight);
}

/* The first `start` pairs were decided by an earlier run. The list does not depend on what the
 * rounds find. */
static void decide_all(struct pair_job *job, const struct bit_rows *candidates, size_t start,
                       bool sort, struct pair_counts *counts)
{
    const struct env *env = job->sight->env;
    struct pair_list *list = memory_zalloc(1, sizeof *list);
    pair_list_new(job->sight, candidates, sort, list);
    size_t size = list->count / ROUNDS + ROUND_LEAST, at = 0;
    counts->pairs = (int64_t)list->count;
    progress_begin(env->progress, "pairs of clusters",
                   start < list->count ? list->count - start : 0);
    while (!rounds_stopped(job->rounds) && pair_list_next(list)) {
        size_t count = arrlenu(list->pairs);
        for (size_t done = 0; done < count; done += size) {
            job->round = list->pairs + done;
            job->round_count = count - done < size ? count - done : size;
            at += job->round_count;
            if (at <= start)
                continue;
            if (!rounds_go_on(job->rounds, ROUNDS_OF_PAIRS + at - job->round_count))
                break;
            decide_round(job, counts);
            for (size_t i = 0; i < job->round_count; i++)
                progress_step(env->progress);
        }
    }
    progress_end(env->progress);
    arrfree(job->todo);
    pair_list_free(list);
    memory_free(list);
}

struct bit_rows pair_vis(const struct env *env, const struct portals *portals,
                         struct rounds *rounds, bool sort, struct bit_rows *rows,
                         struct pair_counts *counts)
{
    *counts = (struct pair_counts){0};
    struct sight sight;
    sight_new(env, portals, rows, &sight);
    struct flow **flows = memory_zalloc((size_t)env->threads, sizeof *flows);
    for (int i = 0; i < env->threads; i++)
        flows[i] = flow_new(portals, rows);
    progress_begin(env->progress, "random lines", 0);
    lines_at_random(sight.lines, RANDOM_LINES);
    progress_end(env->progress);
    struct bit_rows candidates =
        bit_rows_new((size_t)portals->cluster_count, (size_t)portals->cluster_count);
    size_t start = cluster_vis(&sight, flows, rounds, &candidates, &counts->by_cluster);
    if (start < ROUNDS_OF_PAIRS)
        sight_undecided(&sight, &candidates);
    for (int i = 0; i < env->threads; i++)
        flow_add_counts(flows[i], &counts->cluster_flow);
    struct pair_job job = {.sight = &sight, .rounds = rounds, .flows = flows};
    decide_all(&job, &candidates, start < ROUNDS_OF_PAIRS ? 0 : start - ROUNDS_OF_PAIRS, sort,
               counts);
    memory_free(candidates.data);
    for (int i = 0; i < env->threads; i++) {
        flow_add_counts(flows[i], &counts->flow);
        flow_free(flows[i]);
    }
    memory_free(flows);
    counts->lines = lines_free(sight.lines);
    sight_free(&sight);
    return sight.open;
}
