#include "vvis/flow/portal_vis.h"

#include <stdlib.h>

#include "common/core/memory.h"
#include "common/farm/rank_values.h"
#include "common/farm/ranks.h"
#include "common/parallel/parallel.h"

/* Known results make the flow cheaper: rounds are small at first, while little is known. */
enum { ROUND_FIRST = 16, ROUND_MAX = 128 };

/* Per portal: more than any map that finishes overnight needs. */
#define CHAINS_MAX ((int64_t)1 << 30)

struct ranked {
    size_t bits;
    int portal;
};

struct portal_job {
    const struct env *env;
    const struct portals *portals;
    struct bit_rows *rows;
    struct flow **flows; /* one per thread */
    const struct ranked *round;
    struct bit_rows seen;      /* one per portal of the round */
    int64_t chains[ROUND_MAX]; /* the same */
    size_t round_count;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->bits != right->bits)
        return left->bits < right->bits ? -1 : 1;
    return left->portal - right->portal;
}

static struct ranked *rank(const struct bit_rows *rows, int portals, bool sort)
{
    struct ranked *order = memory_zalloc((size_t)portals, sizeof *order);
    for (int p = 0; p < portals; p++)
        order[p] = (struct ranked){bit_count(bit_row(rows, (size_t)p), rows->words), p};
    if (sort)
        qsort(order, (size_t)portals, sizeof *order, compare_ranked);
    return order;
}

static void flow_one_portal(void *context, size_t index, int thread)
{
    struct portal_job *job = context;
    uint64_t *seen = bit_row(&job->seen, index);
    memset(seen, 0, job->seen.words * sizeof *seen);
    int64_t before = flow_chains(job->flows[thread]);
    flow_portal(job->flows[thread], job->round[index].portal, CHAINS_MAX, seen);
    job->chains[index] = flow_chains(job->flows[thread]) - before;
    progress_step(job->env->progress);
}

static void pack_portal(void *context, size_t index, struct bytes *out)
{
    const struct portal_job *job = context;
    bytes_u64(out, (uint64_t)job->chains[index]);
    bits_pack(bit_row(&job->seen, index), job->seen.words, out);
}

static void unpack_portal(void *context, size_t index, struct byte_reader *in)
{
    struct portal_job *job = context;
    uint64_t *seen = bit_row(&job->seen, index);
    job->chains[index] = rank_count(in);
    memset(seen, 0, job->seen.words * sizeof *seen);
    bits_unpack(seen, job->seen.words, (size_t)job->portals->count, in);
    progress_step(job->env->progress);
}

static void flow_round(struct portal_job *job, struct checkpoint *checkpoint)
{
    const struct ranks_loop loop = {.count = job->round_count,
                                    .item = flow_one_portal,
                                    .context = job,
                                    .pack = pack_portal,
                                    .unpack = unpack_portal};
    (void)ranks_for(job->env->ranks, job->env->threads, &loop);
    for (size_t i = 0; i < job->round_count; i++) {
        int cluster = job->portals->to[job->round[i].portal ^ 1];
        checkpoint_add_cost(checkpoint, job->chains[i], cluster, cluster);
    }
}

/* Clears from row r the reverse of what the portals of the round do not see. */
static void clear_reverse(void *context, size_t r, int thread)
{
    (void)thread;
    struct portal_job *job = context;
    uint64_t *row = bit_row(job->rows, r);
    for (size_t i = 0; i < job->round_count; i++)
        if (!bit_get(bit_row(&job->seen, i), r ^ 1))
            bit_clear(row, (size_t)job->round[i].portal ^ 1);
}

static void finish_round(struct portal_job *job, size_t portals)
{
    for (size_t i = 0; i < job->round_count; i++) {
        uint64_t *row = bit_row(job->rows, (size_t)job->round[i].portal);
        const uint64_t *seen = bit_row(&job->seen, i);
        for (size_t k = 0; k < job->rows->words; k++)
            row[k] &= seen[k];
    }
    parallel_for(job->env->threads, portals, clear_reverse, job);
}

struct flow_counts portal_vis(const struct env *env, const struct portals *portals,
                              struct checkpoint *checkpoint, bool sort, struct bit_rows *rows)
{
    size_t count = (size_t)portals->count;
    struct ranked *order = rank(rows, portals->count, sort);
    struct portal_job job = {
        .env = env,
        .portals = portals,
        .rows = rows,
        .flows = memory_zalloc((size_t)env->threads, sizeof *job.flows),
        .seen = bit_rows_new(ROUND_MAX, count),
    };
    for (int i = 0; i < env->threads; i++)
        job.flows[i] = flow_new(portals, rows);
    const struct bit_matrix known = {rows, count, count};
    size_t start = checkpoint_begin(checkpoint, &known, 1, NULL), size = ROUND_FIRST;
    progress_begin(env->progress, "portal flow", start < count ? count - start : 0);
    for (size_t done = 0; done < count; done += job.round_count) {
        job.round = order + done;
        job.round_count = count - done < size ? count - done : size;
        size = size * 2 < ROUND_MAX ? size * 2 : ROUND_MAX;
        if (done < start)
            continue;
        if (!checkpoint_poll(checkpoint, done))
            break;
        flow_round(&job, checkpoint);
        finish_round(&job, count);
    }
    progress_end(env->progress);
    struct flow_counts total = {0};
    for (int i = 0; i < env->threads; i++) {
        flow_add_counts(job.flows[i], &total);
        flow_free(job.flows[i]);
    }
    flow_counts_of_ranks(env->ranks, &total);
    memory_free(job.flows);
    memory_free(job.seen.data);
    memory_free(order);
    return total;
}
