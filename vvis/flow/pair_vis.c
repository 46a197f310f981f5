#include "vvis/flow/pair_vis.h"

#include "common/core/array.h"
#include "common/farm/rank_values.h"
#include "common/farm/ranks.h"
#include "common/parallel/parallel.h"
#include "vvis/basevis/base_vis.h"
#include "vvis/flow/pair_rounds.h"

/* Chains of a step of a bounded effort. */
#define STEP_CHAINS ((int64_t)1 << 20)

enum {
    RANDOM_LINES = 5,          /* per cluster */
    CHUNK = 4,                 /* pairs per work item: one with the first budget is too little */
    FEW_PAIRS_PER_CLUSTER = 8, /* this few are left after cluster flow */
};

/* Up to this many directed portals, the flood with frustum tests takes only milliseconds. It
 * culls a few pairs more: what is culled for each pair of portals from one of the two sides may
 * be all that there is between two clusters. */
enum { FLOOD_PORTALS = 1024 };

struct pair_job {
    struct vis_state *state;
    struct checkpoint *checkpoint;
    struct effort *effort;
    struct pair *round;
    size_t count;
    size_t hard; /* the first pairs of `round`, which are work items of their own */
    bool few;    /* walks reached all pairs and sightlines did not: more sightlines are useless */
};

/* Returns whether any portal out of a may see one into b. */
static bool may_see(const struct vis_state *state, int a, int b)
{
    const struct portals *portals = state->portals;
    for (int i = portals->first[a]; i < portals->first[a + 1]; i++) {
        const uint64_t *row = bit_row(state->rows, (size_t)portals->leaving[i]);
        for (int k = portals->first[b]; k < portals->first[b + 1]; k++)
            if (bit_get(row, (size_t)portals->leaving[k] ^ 1))
                return true;
    }
    return false;
}

/* Walks from one side. Returns whether the pair is decided. */
static bool walk_from(struct pair_job *job, struct pair *pair, int side, int thread)
{
    if (pair->arrived[side])
        return false;
    int from = side ? pair->b : pair->a, to = side ? pair->a : pair->b;
    struct flow_arrival arrival;
    struct flow *flow = job->effort->flows[thread];
    int64_t before = flow_chains(flow);
    int64_t max = pair_budgets[pair->budget].chains;
    enum flow_result result =
        job->few ? flow_clusters(flow, &job->state->mightsee, from, to, max, &arrival)
                 : flow_pair(flow, from, to, max, &arrival);
    pair->chains += flow_chains(flow) - before;
    pair->sent_to_flow = true;
    pair->arrived[side] = result == FLOW_ARRIVED;
    if (result == FLOW_CULLED)
        pair->result = FLOW_CULLED;
    else if (result == FLOW_ARRIVED &&
             (pair->arrived[!side] ||
              (!job->few &&
               sightlines_try_arrival(job->state->lines, from, &arrival, NULL, thread))))
        pair->result = FLOW_ARRIVED;
    return pair->result != FLOW_UNDECIDED;
}

static bool find_line(struct pair_job *job, const struct pair *pair, int thread)
{
    int before = pair->budget ? pair_budgets[pair->budget - 1].lines : 0;
    return !job->few && sightlines_try_pair(job->state->lines, pair->a, pair->b, before,
                                            pair_budgets[pair->budget].lines, thread);
}

static void decide(struct pair_job *job, struct pair *pair, int thread)
{
    bool proven = vis_state_is_proven(job->state, pair->a, pair->b);
    if (!proven && !pair->budget && !job->few && !may_see(job->state, pair->a, pair->b))
        pair->result = FLOW_CULLED;
    else if (proven || find_line(job, pair, thread))
        pair->result = FLOW_ARRIVED;
    else if (!walk_from(job, pair, 0, thread))
        walk_from(job, pair, 1, thread);
}

/* Pairs of the round that are one item. */
struct chunk {
    size_t first, end;
};

/* One hard pair, or several others. */
static struct chunk chunk_of(const struct pair_job *job, size_t item)
{
    if (item < job->hard)
        return (struct chunk){item, item + 1};
    size_t first = job->hard + (item - job->hard) * CHUNK;
    return (struct chunk){first, first + CHUNK < job->count ? first + CHUNK : job->count};
}

static void decide_chunk(void *context, size_t item, int thread)
{
    struct pair_job *job = context;
    struct chunk chunk = chunk_of(job, item);
    for (size_t at = chunk.first; at < chunk.end; at++)
        decide(job, &job->round[at], thread);
}

/* The decisions of a pair in a byte: its result, the walks that arrived, whether it was sent. */
enum { ARRIVED_BITS = 2, SENT_BIT = 4, CHAINS_BIT };

static void pack_pair(const struct pair *pair, struct bytes *out)
{
    bytes_u8(out, (uint8_t)((unsigned)pair->result | (unsigned)pair->arrived[0] << ARRIVED_BITS |
                            (unsigned)pair->arrived[1] << (ARRIVED_BITS + 1) |
                            (unsigned)pair->sent_to_flow << SENT_BIT |
                            (unsigned)(pair->chains != 0) << CHAINS_BIT));
    if (pair->chains)
        bytes_u64(out, (uint64_t)pair->chains);
}

static void unpack_pair(struct pair *pair, struct byte_reader *in)
{
    unsigned bits = read_u8(in), result = bits & 3;
    pair->result = result < FLOW_RESULTS ? (enum flow_result)result : FLOW_UNDECIDED;
    for (int side = 0; side < 2; side++)
        pair->arrived[side] = bits >> (ARRIVED_BITS + side) & 1;
    pair->sent_to_flow = bits >> SENT_BIT & 1;
    pair->chains = bits >> CHAINS_BIT & 1 ? rank_count(in) : 0;
}

static void pack_chunk(void *context, size_t item, struct bytes *out)
{
    const struct pair_job *job = context;
    struct chunk chunk = chunk_of(job, item);
    for (size_t at = chunk.first; at < chunk.end; at++)
        pack_pair(&job->round[at], out);
}

static void unpack_chunk(void *context, size_t item, struct byte_reader *in)
{
    struct pair_job *job = context;
    struct chunk chunk = chunk_of(job, item);
    for (size_t at = chunk.first; at < chunk.end; at++) {
        unpack_pair(&job->round[at], in);
        effort_add(job->effort, job->round[at].chains, in);
    }
}

static void pack_lines(void *context, struct bytes *out)
{
    const struct pair_job *job = context;
    sightlines_pack(job->state->lines, out);
}

static void unpack_lines(void *context, struct byte_reader *in)
{
    const struct pair_job *job = context;
    sightlines_unpack(job->state->lines, in);
}

static void decide_pairs(struct pair_job *job)
{
    const struct env *env = job->state->env;
    for (job->hard = 0; job->hard < job->count && job->round[job->hard].budget; job->hard++)
        continue;
    const struct ranks_loop loop = {.count =
                                        job->hard + (job->count - job->hard + CHUNK - 1) / CHUNK,
                                    .item = decide_chunk,
                                    .context = job,
                                    .pack = pack_chunk,
                                    .unpack = unpack_chunk,
                                    .pack_rest = pack_lines,
                                    .unpack_rest = unpack_lines};
    (void)ranks_for(env->ranks, env->threads, &loop);
}

/* Returns the number of pairs, from `at` on, that together take no more chains than a step of a
 * bounded effort may; at least one. */
static size_t step_size(const struct pair_job *job, size_t at)
{
    int64_t chains = 0;
    size_t end = at;
    for (; end < job->count; end++) {
        chains += 2 * pair_budgets[job->round[end].budget].chains;
        if (chains > STEP_CHAINS && end > at)
            break;
    }
    return end - at;
}

/* Decides the pairs of the round, or as many as the effort suffices for. Steps of a round share
 * nothing either. */
static void decide_within_effort(struct pair_job *job)
{
    size_t done = 0;
    while (done < job->count && !effort_is_over(job->effort)) {
        struct pair_job step = *job;
        step.round += done;
        step.count = step_size(job, done);
        done += step.count;
        decide_pairs(&step);
    }
    job->count = done;
}

static void decide_round(struct pair_job *job, struct pair_counts *counts)
{
    struct vis_state *state = job->state;
    if (effort_is_bounded(job->effort))
        decide_within_effort(job);
    else
        decide_pairs(job);
    sightlines_commit(state->lines);
    for (size_t i = 0; i < job->count; i++) {
        const struct pair *pair = &job->round[i];
        if (pair->result == FLOW_CULLED)
            arrput(state->culled, ((struct cluster_pair){pair->a, pair->b}));
        counts->sent_to_flow += pair->sent_to_flow && !pair->budget;
        checkpoint_add_cost(job->checkpoint, pair->chains, pair->a, pair->b);
    }
    counts->culled += arrlen(state->culled);
    vis_state_cull(state);
}

/* The first `start` pairs were decided by an earlier run, or are in `saved`. The list does not
 * depend on what the rounds find. */
static void decide_all(struct pair_job *job, const struct bit_rows *candidates, size_t start,
                       bool sort, struct bit_rows saved, struct pair_counts *counts)
{
    const struct env *env = job->state->env;
    struct pair_rounds *rounds = memory_zalloc(1, sizeof *rounds);
    pair_rounds_new(job->state, candidates, start, sort, saved, rounds);
    size_t count = rounds->list.count;
    counts->pairs = (int64_t)count;
    progress_begin(env->progress, "portal flow", start < count ? count - start : 0);
    while (!checkpoint_stopped(job->checkpoint) && !effort_is_over(job->effort) &&
           pair_rounds_more(rounds)) {
        pair_rounds_save(rounds, effort_spent(job->effort));
        if (!checkpoint_poll(job->checkpoint, PAIR_ROUNDS_BASE + rounds->at))
            break;
        size_t before = rounds->at;
        pair_rounds_begin(rounds);
        job->round = rounds->current;
        job->count = arrlenu(rounds->current);
        decide_round(job, counts);
        pair_rounds_end(rounds);
        progress_steps(env->progress, rounds->at - before);
    }
    counts->over_budget = (int64_t)rounds->over_budget;
    if (job->effort->is_over)
        counts->left_open = pair_rounds_give_up(rounds);
    progress_end(env->progress);
    pair_rounds_free(rounds);
    memory_free(rounds);
}

static size_t count_candidates(const struct portals *portals, const struct bit_rows *candidates)
{
    return bit_count(candidates->data, (size_t)portals->cluster_count * candidates->words) / 2;
}

/* Computes rows of portals only when many pairs are left: they need much time and memory. A
 * resumed run must get the same answer. */
static bool few_undecided(struct pair_job *job, double radius, bool begun,
                          struct bit_rows *candidates, struct bit_rows *rows)
{
    struct vis_state *state = job->state;
    const struct portals *portals = state->portals;
    size_t few = FEW_PAIRS_PER_CLUSTER * (size_t)portals->cluster_count;
    if (!begun)
        vis_state_undecided(state, candidates);
    /* More effort must not do less: it might leave few. */
    if (count_candidates(portals, candidates) < few || (!begun && job->effort->is_over))
        return true;
    if (!rows->data)
        *rows = base_front(state->env, portals, radius);
    vis_state_use_rows(state, rows);
    for (int i = 0; i < state->env->threads; i++)
        flow_use_rows(job->effort->flows[i], rows);
    if (!begun)
        vis_state_undecided(state, candidates);
    return count_candidates(portals, candidates) < few;
}

struct bit_rows pair_vis(const struct env *env, const struct portals *portals, double radius,
                         struct checkpoint *checkpoint, bool sort, struct effort effort,
                         struct pair_counts *counts)
{
    *counts = (struct pair_counts){0};
    struct vis_state state;
    vis_state_new(env, portals, radius, &state);
    struct bit_rows rows = {0};
    if (portals->count <= FLOOD_PORTALS) {
        rows = base_vis(env, portals, radius);
        vis_state_use_rows(&state, &rows);
    }
    struct flow **flows = memory_zalloc((size_t)env->threads, sizeof *flows);
    effort.flows = flows;
    effort.threads = env->threads;
    effort.ranks = env->ranks;
    for (int i = 0; i < env->threads; i++)
        flows[i] = flow_new(portals, rows.data ? &rows : NULL);
    progress_begin(env->progress, "sightline sampling", 0);
    sightlines_sample(state.lines, RANDOM_LINES);
    sightlines_count_on_first_rank(state.lines);
    progress_end(env->progress);
    struct bit_rows candidates = bit_rows_new_parallel(env->threads, (size_t)portals->cluster_count,
                                                       (size_t)portals->cluster_count);
    struct bit_rows saved = pair_rounds_saved_new(portals->cluster_count);
    size_t start =
        cluster_vis(&state, &effort, checkpoint, &candidates, &saved, &counts->by_cluster);
    for (int i = 0; i < env->threads; i++)
        flow_add_counts(flows[i], &counts->cluster_flow);
    flow_counts_of_ranks(env->ranks, &counts->cluster_flow);
    struct pair_job job = {.state = &state, .checkpoint = checkpoint, .effort = &effort};
    bool begun = start >= PAIR_ROUNDS_BASE;
    job.few = few_undecided(&job, radius, begun, &candidates, &rows);
    decide_all(&job, &candidates, begun ? start - PAIR_ROUNDS_BASE : 0, sort, saved, counts);
    memory_free(candidates.data);
    memory_free(saved.data);
    for (int i = 0; i < env->threads; i++) {
        flow_add_counts(flows[i], &counts->flow);
        flow_free(flows[i]);
    }
    flow_counts_of_ranks(env->ranks, &counts->flow);
    memory_free(flows);
    memory_free(rows.data);
    counts->lines = sightlines_free(state.lines);
    ranks_sum(env->ranks, &counts->lines, 1);
    vis_state_free(&state);
    return state.mightsee;
}
