#include "vvis/flow/pair_vis.h"

#include "common/core/array.h"
#include "common/parallel/parallel.h"
#include "vvis/basevis/base_vis.h"
#include "vvis/flow/pair_rounds.h"

enum {
    RANDOM_LINES = 5, /* a cluster */
    CHUNK = 4,        /* pairs: one is too little work to hand out, before much effort */
    FEW_PAIRS = 8,    /* a cluster: so few are left where whole clusters were walked */
};

/* With so many ways through portals the flood inside of frusta takes but some milliseconds. It
 * finds a few pairs more to be hidden: what is refuted of each pair of portals from one of the two
 * sides may be all that there is between two clusters. */
enum { FLOOD_PORTALS = 1024 };

struct pair_job {
    struct sight *sight;
    struct rounds *rounds;
    struct flow **flows; /* one a thread */
    struct pair *round;
    size_t count;
    size_t hard; /* the first of `round` that are handed out one by one */
    bool few;    /* walks came through all of them, and lines did not: more lines are in vain */
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
    struct flow *flow = job->flows[thread];
    int64_t before = flow_chains(flow);
    int64_t max = pair_efforts[pair->effort].chains;
    enum flow_result result = job->few
                                  ? flow_clusters(flow, &job->sight->open, from, to, max, &arrival)
                                  : flow_pair(flow, from, to, max, &arrival);
    rounds_cost(job->rounds, thread, flow_chains(flow), pair->a, pair->b);
    pair->chains += flow_chains(flow) - before;
    pair->walked = true;
    pair->arrived[side] = result == FLOW_ARRIVED;
    if (result == FLOW_REFUTED)
        pair->result = FLOW_REFUTED;
    else if (result == FLOW_ARRIVED &&
             (pair->arrived[!side] ||
              (!job->few && lines_at_arrival(job->sight->lines, from, &arrival, NULL, thread))))
        pair->result = FLOW_ARRIVED;
    return pair->result != FLOW_OPEN;
}

static bool find_line(struct pair_job *job, const struct pair *pair, int thread)
{
    int before = pair->effort ? pair_efforts[pair->effort - 1].lines : 0;
    return !job->few && lines_at_pair(job->sight->lines, pair->a, pair->b, before,
                                      pair_efforts[pair->effort].lines, thread);
}

static void decide(struct pair_job *job, struct pair *pair, int thread)
{
    bool proven = sight_is_proven(job->sight, pair->a, pair->b);
    if (!proven && !pair->effort && !job->few && !may_see(job->sight, pair->a, pair->b))
        pair->result = FLOW_REFUTED;
    else if (proven || find_line(job, pair, thread))
        pair->result = FLOW_ARRIVED;
    else if (!walk_from(job, pair, 0, thread))
        walk_from(job, pair, 1, thread);
}

/* One hard pair, or some others. */
static void decide_some(void *context, size_t item, int thread)
{
    struct pair_job *job = context;
    size_t at = item, end = item + 1;
    if (item >= job->hard) {
        at = job->hard + (item - job->hard) * CHUNK;
        end = at + CHUNK < job->count ? at + CHUNK : job->count;
    }
    for (; at < end; at++)
        decide(job, &job->round[at], thread);
}

static void decide_round(struct pair_job *job, struct pair_counts *counts)
{
    struct sight *sight = job->sight;
    for (job->hard = 0; job->hard < job->count && job->round[job->hard].effort; job->hard++)
        continue;
    size_t items = job->hard + (job->count - job->hard + CHUNK - 1) / CHUNK;
    parallel_for(sight->env->threads, items, decide_some, job);
    lines_settle(sight->lines);
    for (size_t i = 0; i < job->count; i++) {
        const struct pair *pair = &job->round[i];
        if (pair->result == FLOW_REFUTED)
            arrput(sight->refuted, ((struct cluster_pair){pair->a, pair->b}));
        counts->walked += pair->walked && !pair->effort;
    }
    counts->refuted += arrlen(sight->refuted);
    sight_refute(sight);
}

/* The first `start` pairs were decided by an earlier run, or are in `kept`. The list does not
 * depend on what the rounds find. */
static void decide_all(struct pair_job *job, const struct bit_rows *candidates, size_t start,
                       bool sort, struct bit_rows kept, struct pair_counts *counts)
{
    const struct env *env = job->sight->env;
    struct pair_rounds *rounds = memory_zalloc(1, sizeof *rounds);
    pair_rounds_new(job->sight, candidates, start, sort, kept, rounds);
    size_t count = rounds->list.count;
    counts->pairs = (int64_t)count;
    progress_begin(env->progress, "pairs of clusters", start < count ? count - start : 0);
    while (!rounds_stopped(job->rounds) && pair_rounds_more(rounds)) {
        pair_rounds_keep(rounds);
        if (!rounds_go_on(job->rounds, ROUNDS_OF_PAIRS + rounds->at))
            break;
        size_t before = rounds->at;
        pair_rounds_begin(rounds);
        job->round = rounds->todo;
        job->count = arrlenu(rounds->todo);
        decide_round(job, counts);
        pair_rounds_end(rounds);
        progress_steps(env->progress, rounds->at - before);
    }
    counts->given_up = (int64_t)rounds->given_up;
    progress_end(env->progress);
    pair_rounds_free(rounds);
    memory_free(rounds);
}

static size_t count_candidates(const struct portals *portals, const struct bit_rows *candidates)
{
    return bit_count(candidates->data, (size_t)portals->cluster_count * candidates->words) / 2;
}

/* Rows of portals take long to make and much memory: only when many pairs are left. Whether that is
 * so has to come out the same for a run that goes on. */
static bool few_are_left(struct pair_job *job, double radius, bool begun,
                         struct bit_rows *candidates, struct bit_rows *rows)
{
    struct sight *sight = job->sight;
    const struct portals *portals = sight->portals;
    size_t few = FEW_PAIRS * (size_t)portals->cluster_count;
    if (!begun)
        sight_undecided(sight, candidates);
    if (count_candidates(portals, candidates) < few)
        return true;
    if (!rows->data)
        *rows = base_front(sight->env, portals, radius);
    sight_use_rows(sight, rows);
    for (int i = 0; i < sight->env->threads; i++)
        flow_use_rows(job->flows[i], rows);
    if (!begun)
        sight_undecided(sight, candidates);
    return count_candidates(portals, candidates) < few;
}

struct bit_rows pair_vis(const struct env *env, const struct portals *portals, double radius,
                         struct rounds *rounds, bool sort, struct pair_counts *counts)
{
    *counts = (struct pair_counts){0};
    struct sight sight;
    sight_new(env, portals, radius, &sight);
    struct bit_rows rows = {0};
    if (portals->count <= FLOOD_PORTALS) {
        rows = base_vis(env, portals, radius);
        sight_use_rows(&sight, &rows);
    }
    struct flow **flows = memory_zalloc((size_t)env->threads, sizeof *flows);
    for (int i = 0; i < env->threads; i++)
        flows[i] = flow_new(portals, rows.data ? &rows : NULL);
    progress_begin(env->progress, "random lines", 0);
    lines_at_random(sight.lines, RANDOM_LINES);
    progress_end(env->progress);
    struct bit_rows candidates = bit_rows_new_by(env->threads, (size_t)portals->cluster_count,
                                                 (size_t)portals->cluster_count);
    struct bit_rows kept = pair_rounds_kept(portals->cluster_count);
    size_t start = cluster_vis(&sight, flows, rounds, &candidates, &kept, &counts->by_cluster);
    for (int i = 0; i < env->threads; i++)
        flow_add_counts(flows[i], &counts->cluster_flow);
    struct pair_job job = {.sight = &sight, .rounds = rounds, .flows = flows};
    bool begun = start >= ROUNDS_OF_PAIRS;
    job.few = few_are_left(&job, radius, begun, &candidates, &rows);
    decide_all(&job, &candidates, begun ? start - ROUNDS_OF_PAIRS : 0, sort, kept, counts);
    memory_free(candidates.data);
    memory_free(kept.data);
    for (int i = 0; i < env->threads; i++) {
        flow_add_counts(flows[i], &counts->flow);
        flow_free(flows[i]);
    }
    memory_free(flows);
    memory_free(rows.data);
    counts->lines = lines_free(sight.lines);
    sight_free(&sight);
    return sight.open;
}
