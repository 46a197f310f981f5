#include "vvis/basevis/base_vis.h"

#include <string.h>

#include "common/core/memory.h"
#include "common/farm/ranks.h"
#include "common/parallel/parallel.h"
#include "vvis/basevis/flood.h"

/* Frustum tests per portal. If more are needed, the map is open and frustum tests cull little. */
enum { FLOOD_TESTS = 2048 };

enum { CHUNK = 32 }; /* portal pairs per work item: one is too little */

SIMD_TABLES(base_kernels)

struct base_job {
    const struct env *env;
    const struct portals *portals;
    const struct base_kernels *kernels; /* of this CPU */
    struct bit_rows rows;
    struct flood *floods; /* one per thread */
};

static void flood_new(const struct portals *portals, double radius, struct flood *out)
{
    size_t clusters = (size_t)portals->cluster_count;
    size_t words = bit_words((size_t)portals->count);
    *out = (struct flood){.portals = portals, .radius = radius, .max = FLOOD_TESTS};
    out->front.rows[0] = memory_aligned(3 * words, sizeof(uint64_t));
    out->front.rows[1] = out->front.rows[0] + words;
    out->front.unsure = out->front.rows[1] + words;
    out->visited = memory_zalloc(clusters, sizeof *out->visited);
    out->stack = memory_zalloc(clusters, sizeof *out->stack);
}

static void flood_free(struct flood *flood)
{
    memory_free(flood->front.rows[0]);
    memory_free(flood->visited);
    memory_free(flood->stack);
}

/* Each thread clears the rows that it fills: page faults of fresh memory are spread over the
 * threads. */
static void clear_rows(const struct base_job *job, size_t pair)
{
    memset(bit_row(&job->rows, 2 * pair), 0, 2 * job->rows.words * sizeof(uint64_t));
}

/* Floods both directions of a portal. */
static void flood_pair(void *context, size_t pair, int thread)
{
    struct base_job *job = context;
    const struct portals *portals = job->portals;
    struct flood *flood = &job->floods[thread];
    clear_rows(job, pair);
    job->kernels->front_rows(&portals->lanes, pair, &flood->front);
    bit_clear(flood->front.rows[0], 2 * pair + 1);
    bit_clear(flood->front.rows[1], 2 * pair);
    for (size_t p = 2 * pair; p < 2 * pair + 2; p++)
        job->kernels->flood_portal(flood, (int)p, bit_row(&job->rows, p));
    progress_step(job->env->progress);
}

static void cull_far(const struct base_job *job, double radius, size_t pair, uint64_t *row)
{
    const struct box *boxes = job->portals->boxes;
    size_t words = job->rows.words;
    for (size_t q = bit_next(row, words, 0); q != SIZE_MAX; q = bit_next(row, words, q + 1))
        if (box_gap(&boxes[pair], &boxes[q / 2]) > radius)
            bit_clear(row, q);
}

static void front_pair(struct base_job *job, size_t pair, struct flood *flood)
{
    const struct portals *portals = job->portals;
    struct front_rows front = {.unsure = flood->front.unsure};
    clear_rows(job, pair);
    for (size_t direction = 0; direction < 2; direction++)
        front.rows[direction] = bit_row(&job->rows, 2 * pair + direction);
    job->kernels->front_rows(&portals->lanes, pair, &front);
    for (size_t direction = 0; direction < 2; direction++) {
        front.rows[direction][pair / 32] &= ~((uint64_t)3 << (pair % 32 * 2));
        job->kernels->face_row(portals, 2 * pair + direction, front.unsure, front.rows[direction]);
        if (flood->radius > 0)
            cull_far(job, flood->radius, pair, front.rows[direction]);
    }
}

static void front_chunk(void *context, size_t chunk, int thread)
{
    struct base_job *job = context;
    size_t end = (chunk + 1) * CHUNK, pairs = (size_t)job->portals->count / 2;
    for (size_t pair = chunk * CHUNK; pair < end && pair < pairs; pair++)
        front_pair(job, pair, &job->floods[thread]);
}

static void pack_pair(void *context, size_t pair, struct bytes *out)
{
    const struct base_job *job = context;
    for (size_t p = 2 * pair; p < 2 * pair + 2; p++)
        bits_pack(bit_row(&job->rows, p), job->rows.words, out);
}

static void unpack_pair(void *context, size_t pair, struct byte_reader *in)
{
    struct base_job *job = context;
    clear_rows(job, pair);
    for (size_t p = 2 * pair; p < 2 * pair + 2; p++)
        bits_unpack(bit_row(&job->rows, p), job->rows.words, (size_t)job->portals->count, in);
    progress_step(job->env->progress);
}

/* Clears a bit if its reverse is not set. A bit whose reverse is set stays, so the order of rows
 * does not matter. */
static void keep_mutual(void *context, size_t p, int thread)
{
    (void)thread;
    const struct bit_rows *rows = context;
    uint64_t *row = bit_row(rows, p);
    for (size_t word = 0; word < rows->words; word++) {
        uint64_t kept = row[word];
        for (uint64_t left = kept; left; left &= left - 1) {
            size_t q = word * 64 + (size_t)__builtin_ctzll(left);
            const uint64_t *mate = bit_row(rows, q ^ 1) + p / 64;
            if (!(__atomic_load_n(mate, __ATOMIC_RELAXED) >> ((p ^ 1) % 64) & 1))
                kept &= ~(left & -left);
        }
        __atomic_store_n(&row[word], kept, __ATOMIC_RELAXED);
    }
}

/* Clears each bit (p, q) whose reverse (q ^ 1, p ^ 1) is not set. */
static void base_vis_make_symmetric(const struct env *env, struct bit_rows *rows, int portals)
{
    parallel_for(env->threads, (size_t)portals, keep_mutual, rows);
}

static struct base_job base_begin(const struct env *env, const struct portals *portals,
                                  double radius)
{
    size_t count = (size_t)portals->count;
    struct base_job job = {
        .env = env,
        .portals = portals,
        .kernels = base_kernels_of(simd_best()),
        .rows.words = bit_words(count),
        .floods = memory_zalloc((size_t)env->threads, sizeof *job.floods),
    };
    job.rows.data = memory_aligned_uninit(count, job.rows.words * sizeof *job.rows.data);
    for (int i = 0; i < env->threads; i++)
        flood_new(portals, radius, &job.floods[i]);
    return job;
}

static void base_end(struct base_job *job)
{
    for (int i = 0; i < job->env->threads; i++)
        flood_free(&job->floods[i]);
    memory_free(job->floods);
}

struct bit_rows base_front(const struct env *env, const struct portals *portals, double radius)
{
    size_t pairs = (size_t)portals->count / 2;
    struct base_job job = base_begin(env, portals, radius);
    progress_begin(env->progress, "base visibility", 0);
    parallel_for(env->threads, (pairs + CHUNK - 1) / CHUNK, front_chunk, &job);
    progress_end(env->progress);
    base_end(&job);
    return job.rows;
}

struct bit_rows base_vis(const struct env *env, const struct portals *portals, double radius)
{
    struct base_job job = base_begin(env, portals, radius);
    const struct ranks_loop loop = {.count = (size_t)portals->count / 2,
                                    .item = flood_pair,
                                    .context = &job,
                                    .pack = pack_pair,
                                    .unpack = unpack_pair};
    progress_begin(env->progress, "base visibility", loop.count);
    (void)ranks_for(env->ranks, env->threads, &loop);
    base_vis_make_symmetric(env, &job.rows, portals->count);
    progress_end(env->progress);
    int64_t counts[2] = {0};
    for (int i = 0; i < env->threads; i++) {
        counts[0] += job.floods[i].tests;
        counts[1] += job.floods[i].unculled;
    }
    ranks_sum(env->ranks, counts, 2);
    progress_count(env->progress, "frustum tests", counts[0]);
    progress_count(env->progress, "unculled floods", counts[1]);
    base_end(&job);
    return job.rows;
}
