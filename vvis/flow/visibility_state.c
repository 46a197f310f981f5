#include "vvis/flow/visibility_state.h"

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/parallel/parallel.h"
#include "vvis/graph/clusters.h"

/* Rows, and clusters, per work item: one is too little. */
enum { CHUNK = 128, CULL_CHUNK = 16 };

static void list_portal_words(struct vis_state *state)
{
    const struct portals *portals = state->portals;
    for (int c = 0; c < portals->cluster_count; c++) {
        ptrdiff_t first = arrlen(state->portal_words);
        for (int i = portals->first[c]; i < portals->first[c + 1]; i++) {
            size_t even = (size_t)portals->leaving[i] & ~(size_t)1;
            if (arrlen(state->portal_words) == first ||
                arrlast(state->portal_words).word != even / 64)
                arrput(state->portal_words, ((struct portal_word){.word = even / 64}));
            arrlast(state->portal_words).bits |= (uint64_t)3 << (even % 64);
            arrlast(state->portal_words).into |= (uint64_t)1 << ((portals->leaving[i] ^ 1) % 64);
        }
        state->first_portal_word[c + 1] = (int)arrlen(state->portal_words);
    }
}

/* Initialises the rows of 64 clusters, with all pairs in mightsee and none proven; the last item
 * lists the portal words. In parallel, because the first write to fresh memory waits for a page
 * fault. */
static void init_word(void *context, size_t word, int thread)
{
    (void)thread;
    struct vis_state *state = context;
    size_t clusters = (size_t)state->portals->cluster_count, words = state->mightsee.words;
    if (64 * word >= clusters) {
        list_portal_words(state);
        return;
    }
    for (size_t a = 64 * word; a < 64 * word + 64 && a < clusters; a++) {
        uint64_t *row = bit_row(&state->mightsee, a);
        memset(row, 0, words * sizeof *row);
        memset(row, 0xff, clusters / 64 * sizeof *row);
        if (clusters % 64)
            row[clusters / 64] = ((uint64_t)1 << (clusters % 64)) - 1;
        memset(bit_row(&state->proven, a), 0, words * sizeof *row);
    }
}

/* Returns whether any two portals of the clusters are within the radius. */
static bool any_within(const struct portals *portals, size_t a, size_t b, double radius)
{
    if (box_gap(&portals->cluster_boxes[a], &portals->cluster_boxes[b]) > radius)
        return false;
    for (int i = portals->first[a]; i < portals->first[a + 1]; i++)
        for (int k = portals->first[b]; k < portals->first[b + 1]; k++)
            if (box_gap(&portals->boxes[portals->leaving[i] / 2],
                        &portals->boxes[portals->leaving[k] / 2]) <= radius)
                return true;
    return false;
}

struct radius_job {
    struct vis_state *state;
    double radius;
};

static void cull_far(void *context, size_t a, int thread)
{
    (void)thread;
    const struct radius_job *job = context;
    for (size_t b = 0; b < (size_t)job->state->portals->cluster_count; b++)
        if (!any_within(job->state->portals, a, b, job->radius))
            bit_clear(bit_row(&job->state->mightsee, a), b);
}

void vis_state_new(const struct env *env, const struct portals *portals, double radius,
                   struct vis_state *out)
{
    size_t clusters = (size_t)portals->cluster_count;
    *out = (struct vis_state){
        .env = env,
        .portals = portals,
        .mightsee = bit_rows_new_uninitialised(clusters, clusters),
        .proven = bit_rows_new_uninitialised(clusters, clusters),
        .first_portal_word = memory_zalloc(clusters + 1, sizeof *out->first_portal_word),
        .first_partner = memory_zalloc(clusters + 2, sizeof *out->first_partner),
    };
    parallel_for(env->threads, portals_cluster_words(portals) + 1, init_word, out);
    if (radius > 0)
        parallel_for(env->threads, clusters, cull_far, &(struct radius_job){out, radius});
    out->lines = sightlines_new(env, portals, NULL, &out->proven);
}

void vis_state_free(struct vis_state *state)
{
    memory_free(state->proven.data);
    memory_free(state->first_portal_word);
    memory_free(state->first_partner);
    arrfree(state->portal_words);
    arrfree(state->culled);
    arrfree(state->partners);
}

static void clear_portals(const struct vis_state *state, size_t cluster, uint64_t *row)
{
    for (int k = state->first_portal_word[cluster]; k < state->first_portal_word[cluster + 1]; k++)
        row[state->portal_words[k].word] &= ~state->portal_words[k].bits;
}

static void find_passable_by_culled(const struct vis_state *state, const uint64_t *mightsee,
                                    uint64_t *passable)
{
    size_t count = (size_t)state->portals->count;
    memset(passable, 0xff, count / 64 * sizeof *passable);
    if (count % 64)
        passable[count / 64] = ((uint64_t)1 << (count % 64)) - 1;
    for (size_t c = 0; c < (size_t)state->portals->cluster_count; c++) {
        if (c % 64 == 0 && mightsee[c / 64] == UINT64_MAX)
            c += 63;
        else if (!bit_get(mightsee, c))
            clear_portals(state, c, passable);
    }
}

static void find_passable_by_mightsee(const struct vis_state *state, const uint64_t *mightsee,
                                      struct bit_rows *out, uint64_t *passable)
{
    for (size_t c = bit_next(mightsee, state->mightsee.words, 0); c != SIZE_MAX;
         c = bit_next(mightsee, state->mightsee.words, c + 1))
        for (int k = state->first_portal_word[c]; k < state->first_portal_word[c + 1]; k++)
            passable[state->portal_words[k].word] |= state->portal_words[k].into;
    for (size_t k = 0; k < out->words; k++)
        passable[k] &= bits_swap_pairs(passable[k]);
}

/* Refinement of the rows by `mightsee`. */
struct refine_job {
    const struct vis_state *state;
    struct bit_rows passable; /* per cluster: portals with clusters of its mightsee on both sides */
};

/* A line through a cluster and a portal visits the clusters on both sides of the portal: both
 * must be in mightsee. */
static void find_passable(void *context, size_t cluster, int thread)
{
    (void)thread;
    struct refine_job *job = context;
    const struct vis_state *state = job->state;
    const uint64_t *mightsee = bit_row(&state->mightsee, cluster);
    uint64_t *passable = bit_row(&job->passable, cluster);
    if (2 * bit_count(mightsee, state->mightsee.words) < (size_t)state->portals->cluster_count)
        find_passable_by_mightsee(state, mightsee, &job->passable, passable);
    else
        find_passable_by_culled(state, mightsee, passable);
}

static void refine_chunk(void *context, size_t chunk, int thread)
{
    (void)thread;
    const struct refine_job *job = context;
    const struct vis_state *state = job->state;
    const int *to = state->portals->to;
    size_t end = (chunk + 1) * CHUNK, count = (size_t)state->portals->count;
    for (size_t x = chunk * CHUNK; x < end && x < count; x++) {
        uint64_t *row = bit_row(state->rows, x);
        const uint64_t *ahead = bit_row(&job->passable, (size_t)to[x]);
        const uint64_t *behind = bit_row(&job->passable, (size_t)to[x ^ 1]);
        for (size_t k = 0; k < state->rows->words; k++)
            row[k] &= ahead[k] & behind[k];
    }
}

static void refine_rows(const struct vis_state *state)
{
    size_t clusters = (size_t)state->portals->cluster_count, count = (size_t)state->portals->count;
    struct refine_job job = {state, bit_rows_new(clusters, count)};
    parallel_for(state->env->threads, clusters, find_passable, &job);
    parallel_for(state->env->threads, (count + CHUNK - 1) / CHUNK, refine_chunk, &job);
    memory_free(job.passable.data);
}

void vis_state_use_rows(struct vis_state *state, struct bit_rows *rows)
{
    struct bit_rows mightsee = clusters_from_portals(state->env, state->portals, rows);
    for (size_t i = 0; i < (size_t)state->portals->cluster_count * mightsee.words; i++)
        state->mightsee.data[i] &= mightsee.data[i];
    memory_free(mightsee.data);
    state->rows = rows;
    sightlines_use_rows(state->lines, rows);
    refine_rows(state);
}

/* A counting sort of the culled pairs, in both directions. */
static void list_partners(struct vis_state *state)
{
    size_t clusters = (size_t)state->portals->cluster_count, pairs = arrlenu(state->culled);
    int *first = state->first_partner;
    memset(first, 0, (clusters + 2) * sizeof *first);
    for (size_t i = 0; i < pairs; i++) {
        first[state->culled[i].a + 2]++;
        first[state->culled[i].b + 2]++;
    }
    for (size_t c = 0; c < clusters; c++)
        first[c + 2] += first[c + 1];
    arrsetlen(state->partners, 2 * pairs);
    for (size_t i = 0; i < pairs; i++) {
        const struct cluster_pair *pair = &state->culled[i];
        state->partners[first[pair->a + 1]++] = pair->b;
        state->partners[first[pair->b + 1]++] = pair->a;
    }
}

/* The culled partners of a cluster, as words of a row. */
struct cull_words {
    uint64_t *mask; /* a row: the bits that stay; all ones between two clusters */
    int *touched;   /* words of it that are not all ones */
    int count;
};

struct cull_job {
    const struct vis_state *state;
    struct cull_words *words; /* per thread */
    int direction;            /* of the rows: 0 of the portals that leave a cluster, 1 of their
                                 reverses, which enter it */
};

static void collect_partners(const struct vis_state *state, size_t cluster, struct cull_words *out)
{
    for (int i = state->first_partner[cluster]; i < state->first_partner[cluster + 1]; i++) {
        int partner = state->partners[i];
        const struct portal_word *at = state->portal_words + state->first_portal_word[partner];
        const struct portal_word *end = state->portal_words + state->first_portal_word[partner + 1];
        for (; at < end; at++) {
            if (out->mask[at->word] == UINT64_MAX)
                out->touched[out->count++] = (int)at->word;
            out->mask[at->word] &= ~at->bits;
        }
    }
}

/* A row is of one portal that leaves a cluster, and of one that enters one: in each direction no
 * two clusters have the same row. */
static void cull_rows_of(const struct cull_job *job, size_t cluster, struct cull_words *words)
{
    const struct vis_state *state = job->state;
    const struct portals *portals = state->portals;
    collect_partners(state, cluster, words);
    for (int i = portals->first[cluster]; i < portals->first[cluster + 1]; i++) {
        uint64_t *row = bit_row(state->rows, (size_t)(portals->leaving[i] ^ job->direction));
        for (int k = 0; k < words->count; k++)
            row[words->touched[k]] &= words->mask[words->touched[k]];
    }
    while (words->count > 0)
        words->mask[words->touched[--words->count]] = UINT64_MAX;
}

static void cull_chunk(void *context, size_t chunk, int thread)
{
    const struct cull_job *job = context;
    size_t end = (chunk + 1) * CULL_CHUNK, count = (size_t)job->state->portals->cluster_count;
    for (size_t c = chunk * CULL_CHUNK; c < end && c < count; c++)
        if (job->state->first_partner[c] < job->state->first_partner[c + 1])
            cull_rows_of(job, c, &job->words[thread]);
}

static void cull_rows(const struct vis_state *state)
{
    size_t words = state->rows->words, clusters = (size_t)state->portals->cluster_count;
    int threads = state->env->threads > 0 ? state->env->threads : 1;
    struct cull_job job = {.state = state,
                           .words = memory_zalloc((size_t)threads, sizeof *job.words)};
    for (int i = 0; i < threads; i++) {
        job.words[i].mask = memory_alloc(words * sizeof *job.words[i].mask);
        job.words[i].touched = memory_alloc(words * sizeof *job.words[i].touched);
        memset(job.words[i].mask, 0xff, words * sizeof *job.words[i].mask);
    }
    for (; job.direction < 2; job.direction++)
        parallel_for(threads, (clusters + CULL_CHUNK - 1) / CULL_CHUNK, cull_chunk, &job);
    for (int i = 0; i < threads; i++) {
        memory_free(job.words[i].mask);
        memory_free(job.words[i].touched);
    }
    memory_free(job.words);
}

void vis_state_cull(struct vis_state *state)
{
    if (!arrlen(state->culled))
        return;
    for (size_t i = 0; i < arrlenu(state->culled); i++) {
        const struct cluster_pair *pair = &state->culled[i];
        bit_clear(bit_row(&state->mightsee, (size_t)pair->a), (size_t)pair->b);
        bit_clear(bit_row(&state->mightsee, (size_t)pair->b), (size_t)pair->a);
    }
    if (state->rows) {
        list_partners(state);
        cull_rows(state);
    }
    arrsetlen(state->culled, 0);
}

struct unseen_job {
    struct vis_state *state;
    const struct resolved_cluster *resolved;
    size_t count;
    int64_t culled; /* pairs, counted from both clusters */
};

/* Clears the rows of 64 clusters: few enough to stay in the cache for all resolved clusters. */
static void cull_word(void *context, size_t word, int thread)
{
    (void)thread;
    struct unseen_job *job = context;
    struct bit_rows *mightsee = &job->state->mightsee;
    int64_t culled = 0;
    sightlines_commit_word(job->state->lines, word);
    for (size_t i = 0; i < job->count; i++) {
        size_t at = (size_t)job->resolved[i].cluster / 64;
        uint64_t kept = ~((uint64_t)1 << (job->resolved[i].cluster % 64));
        uint64_t culled_row = job->resolved[i].culled_row[word];
        culled += __builtin_popcountll(culled_row); /* as `mightsee` is symmetric */
        for (; culled_row; culled_row &= culled_row - 1)
            bit_row(mightsee, 64 * word + (size_t)__builtin_ctzll(culled_row))[at] &= kept;
    }
    for (size_t i = 0; i < job->count; i++) {
        if ((size_t)job->resolved[i].cluster / 64 != word)
            continue;
        uint64_t *row = bit_row(mightsee, (size_t)job->resolved[i].cluster);
        const uint64_t *culled_row = job->resolved[i].culled_row;
        for (size_t k = 0; k < mightsee->words; k++) {
            culled += __builtin_popcountll(row[k] & culled_row[k]);
            row[k] &= ~culled_row[k];
        }
    }
    __atomic_fetch_add(&job->culled, culled, __ATOMIC_RELAXED);
}

void vis_state_take_unseen(const struct vis_state *state, int cluster, uint64_t *seen)
{
    const uint64_t *mightsee = bit_row(&state->mightsee, (size_t)cluster);
    for (size_t k = 0; k < state->mightsee.words; k++)
        seen[k] = mightsee[k] & ~seen[k];
}

int64_t vis_state_cull_unseen(struct vis_state *state, const struct resolved_cluster *resolved,
                              size_t count)
{
    struct unseen_job job = {.state = state, .resolved = resolved, .count = count};
    parallel_chunks(state->env->threads, portals_cluster_words(state->portals), cull_word, &job);
    return job.culled / 2;
}

struct undecided_job {
    const struct vis_state *state;
    struct bit_rows *out;
};

static void undecided_word(void *context, size_t word, int thread)
{
    (void)thread;
    const struct undecided_job *job = context;
    const struct vis_state *state = job->state;
    size_t clusters = (size_t)state->portals->cluster_count, words = job->out->words;
    size_t end = 64 * word + 64 < clusters ? 64 * word + 64 : clusters;
    for (size_t i = 64 * word * words; i < end * words; i++)
        job->out->data[i] = state->mightsee.data[i] & ~state->proven.data[i];
}

void vis_state_undecided(const struct vis_state *state, struct bit_rows *out)
{
    struct undecided_job job = {state, out};
    parallel_chunks(state->env->threads, portals_cluster_words(state->portals), undecided_word,
                    &job);
}
