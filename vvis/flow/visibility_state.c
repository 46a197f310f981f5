#include "vvis/flow/visibility_state.h"

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/parallel/parallel.h"
#include "vvis/graph/clusters.h"

enum { CHUNK = 128 }; /* rows: one is too little work to hand out */

static void list_touched(struct sight *sight)
{
    const struct portals *portals = sight->portals;
    for (int c = 0; c < portals->cluster_count; c++) {
        ptrdiff_t first = arrlen(sight->touched);
        for (int i = portals->first[c]; i < portals->first[c + 1]; i++) {
            size_t even = (size_t)portals->leaving[i] & ~(size_t)1;
            if (arrlen(sight->touched) == first || arrlast(sight->touched).word != even / 64)
                arrput(sight->touched, ((struct touched_word){.word = even / 64}));
            arrlast(sight->touched).bits |= (uint64_t)3 << (even % 64);
            arrlast(sight->touched).into |= (uint64_t)1 << ((portals->leaving[i] ^ 1) % 64);
        }
        sight->first_touched[c + 1] = (int)arrlen(sight->touched);
    }
}

/* The rows of 64 clusters: all is open, and nothing proven; and, as the last, what is touched.
 * Whoever touches fresh memory first waits for it. */
static void begin_word(void *context, size_t word, int thread)
{
    (void)thread;
    struct sight *sight = context;
    size_t clusters = (size_t)sight->portals->cluster_count, words = sight->open.words;
    if (64 * word >= clusters) {
        list_touched(sight);
        return;
    }
    for (size_t a = 64 * word; a < 64 * word + 64 && a < clusters; a++) {
        uint64_t *row = bit_row(&sight->open, a);
        memset(row, 0, words * sizeof *row);
        memset(row, 0xff, clusters / 64 * sizeof *row);
        if (clusters % 64)
            row[clusters / 64] = ((uint64_t)1 << (clusters % 64)) - 1;
        memset(bit_row(&sight->proven, a), 0, words * sizeof *row);
    }
}

/* Whether any two portals of the clusters are near. */
static bool within(const struct portals *portals, size_t a, size_t b, double radius)
{
    if (box_gap(&portals->reach_boxes[a], &portals->reach_boxes[b]) > radius)
        return false;
    for (int i = portals->first[a]; i < portals->first[a + 1]; i++)
        for (int k = portals->first[b]; k < portals->first[b + 1]; k++)
            if (box_gap(&portals->boxes[portals->leaving[i] / 2],
                        &portals->boxes[portals->leaving[k] / 2]) <= radius)
                return true;
    return false;
}

struct radius_job {
    struct sight *sight;
    double radius;
};

static void close_far(void *context, size_t a, int thread)
{
    (void)thread;
    const struct radius_job *job = context;
    for (size_t b = 0; b < (size_t)job->sight->portals->cluster_count; b++)
        if (!within(job->sight->portals, a, b, job->radius))
            bit_clear(bit_row(&job->sight->open, a), b);
}

void sight_new(const struct env *env, const struct portals *portals, double radius,
               struct sight *out)
{
    size_t clusters = (size_t)portals->cluster_count;
    *out = (struct sight){
        .env = env,
        .portals = portals,
        .open = bit_rows_room(clusters, clusters),
        .proven = bit_rows_room(clusters, clusters),
        .first_touched = memory_zalloc(clusters + 1, sizeof *out->first_touched),
        .first_partner = memory_zalloc(clusters + 2, sizeof *out->first_partner),
    };
    parallel_for(env->threads, portals_cluster_words(portals) + 1, begin_word, out);
    if (radius > 0)
        parallel_for(env->threads, clusters, close_far, &(struct radius_job){out, radius});
    out->lines = lines_new(env, portals, NULL, &out->proven);
}

void sight_free(struct sight *sight)
{
    memory_free(sight->proven.data);
    memory_free(sight->first_touched);
    memory_free(sight->first_partner);
    arrfree(sight->touched);
    arrfree(sight->refuted);
    arrfree(sight->partners);
}

static void close_portals(const struct sight *sight, size_t cluster, uint64_t *row)
{
    for (int k = sight->first_touched[cluster]; k < sight->first_touched[cluster + 1]; k++)
        row[sight->touched[k].word] &= ~sight->touched[k].bits;
}

static void beyond_by_closed(const struct sight *sight, const uint64_t *open, uint64_t *beyond)
{
    size_t count = (size_t)sight->portals->count;
    memset(beyond, 0xff, count / 64 * sizeof *beyond);
    if (count % 64)
        beyond[count / 64] = ((uint64_t)1 << (count % 64)) - 1;
    for (size_t c = 0; c < (size_t)sight->portals->cluster_count; c++) {
        if (c % 64 == 0 && open[c / 64] == UINT64_MAX)
            c += 63;
        else if (!bit_get(open, c))
            close_portals(sight, c, beyond);
    }
}

static void beyond_by_open(const struct sight *sight, const uint64_t *open, struct bit_rows *out,
                           uint64_t *beyond)
{
    for (size_t c = bit_next(open, sight->open.words, 0); c != SIZE_MAX;
         c = bit_next(open, sight->open.words, c + 1))
        for (int k = sight->first_touched[c]; k < sight->first_touched[c + 1]; k++)
            beyond[sight->touched[k].word] |= sight->touched[k].into;
    for (size_t k = 0; k < out->words; k++)
        beyond[k] &= bits_swap_pairs(beyond[k]);
}

/* What `open` rules out, by cluster. */
struct narrow_job {
    const struct sight *sight;
    struct bit_rows
        beyond; /* a row a cluster: portals with what it has not refuted on both sides */
};

/* A line through a cluster and portal y visits the clusters on both sides of y: each must be open.
 */
static void find_beyond(void *context, size_t cluster, int thread)
{
    (void)thread;
    struct narrow_job *job = context;
    const struct sight *sight = job->sight;
    const uint64_t *open = bit_row(&sight->open, cluster);
    uint64_t *beyond = bit_row(&job->beyond, cluster);
    if (2 * bit_count(open, sight->open.words) < (size_t)sight->portals->cluster_count)
        beyond_by_open(sight, open, &job->beyond, beyond);
    else
        beyond_by_closed(sight, open, beyond);
}

static void narrow_some(void *context, size_t chunk, int thread)
{
    (void)thread;
    const struct narrow_job *job = context;
    const struct sight *sight = job->sight;
    const int *to = sight->portals->to;
    size_t end = (chunk + 1) * CHUNK, count = (size_t)sight->portals->count;
    for (size_t x = chunk * CHUNK; x < end && x < count; x++) {
        uint64_t *row = bit_row(sight->rows, x);
        const uint64_t *ahead = bit_row(&job->beyond, (size_t)to[x]);
        const uint64_t *behind = bit_row(&job->beyond, (size_t)to[x ^ 1]);
        for (size_t k = 0; k < sight->rows->words; k++)
            row[k] &= ahead[k] & behind[k];
    }
}

static void narrow_rows(const struct sight *sight)
{
    size_t clusters = (size_t)sight->portals->cluster_count, count = (size_t)sight->portals->count;
    struct narrow_job job = {sight, bit_rows_new(clusters, count)};
    parallel_for(sight->env->threads, clusters, find_beyond, &job);
    parallel_for(sight->env->threads, (count + CHUNK - 1) / CHUNK, narrow_some, &job);
    memory_free(job.beyond.data);
}

void sight_use_rows(struct sight *sight, struct bit_rows *rows)
{
    struct bit_rows open = clusters_from_portals(sight->env, sight->portals, rows);
    for (size_t i = 0; i < (size_t)sight->portals->cluster_count * open.words; i++)
        sight->open.data[i] &= open.data[i];
    memory_free(open.data);
    sight->rows = rows;
    lines_use_rows(sight->lines, rows);
    narrow_rows(sight);
}

/* A counting sort of the refuted pairs, each both ways. */
static void list_partners(struct sight *sight)
{
    size_t clusters = (size_t)sight->portals->cluster_count, pairs = arrlenu(sight->refuted);
    int *first = sight->first_partner;
    memset(first, 0, (clusters + 2) * sizeof *first);
    for (size_t i = 0; i < pairs; i++) {
        first[sight->refuted[i].a + 2]++;
        first[sight->refuted[i].b + 2]++;
    }
    for (size_t c = 0; c < clusters; c++)
        first[c + 2] += first[c + 1];
    arrsetlen(sight->partners, 2 * pairs);
    for (size_t i = 0; i < pairs; i++) {
        const struct cluster_pair *pair = &sight->refuted[i];
        sight->partners[first[pair->a + 1]++] = pair->b;
        sight->partners[first[pair->b + 1]++] = pair->a;
    }
}

static void clear_partners(const struct sight *sight, int cluster, uint64_t *row)
{
    for (int i = sight->first_partner[cluster]; i < sight->first_partner[cluster + 1]; i++)
        close_portals(sight, (size_t)sight->partners[i], row);
}

static void clear_some_rows(void *context, size_t chunk, int thread)
{
    (void)thread;
    const struct sight *sight = context;
    size_t end = (chunk + 1) * CHUNK, count = (size_t)sight->portals->count;
    for (size_t p = chunk * CHUNK; p < end && p < count; p++) {
        uint64_t *row = bit_row(sight->rows, p);
        clear_partners(sight, sight->portals->to[p], row);
        clear_partners(sight, sight->portals->to[p ^ 1], row);
    }
}

void sight_refute(struct sight *sight)
{
    if (!arrlen(sight->refuted))
        return;
    for (size_t i = 0; i < arrlenu(sight->refuted); i++) {
        const struct cluster_pair *pair = &sight->refuted[i];
        bit_clear(bit_row(&sight->open, (size_t)pair->a), (size_t)pair->b);
        bit_clear(bit_row(&sight->open, (size_t)pair->b), (size_t)pair->a);
    }
    if (sight->rows) {
        list_partners(sight);
        size_t chunks = ((size_t)sight->portals->count + CHUNK - 1) / CHUNK;
        parallel_for(sight->env->threads, chunks, clear_some_rows, sight);
    }
    arrsetlen(sight->refuted, 0);
}

struct rest_job {
    struct sight *sight;
    const struct settled *settled;
    size_t count;
    int64_t refuted; /* pairs, each from both of its clusters */
};

/* The rows of 64 clusters: few enough to stay at hand while all that was settled goes over them. */
static void clear_word(void *context, size_t word, int thread)
{
    (void)thread;
    struct rest_job *job = context;
    struct bit_rows *open = &job->sight->open;
    int64_t refuted = 0;
    lines_settle_word(job->sight->lines, word);
    for (size_t i = 0; i < job->count; i++) {
        size_t at = (size_t)job->settled[i].cluster / 64;
        uint64_t kept = ~((uint64_t)1 << (job->settled[i].cluster % 64));
        uint64_t gone = job->settled[i].gone[word];
        refuted += __builtin_popcountll(gone); /* as `open` is symmetric */
        for (; gone; gone &= gone - 1)
            bit_row(open, 64 * word + (size_t)__builtin_ctzll(gone))[at] &= kept;
    }
    for (size_t i = 0; i < job->count; i++) {
        if ((size_t)job->settled[i].cluster / 64 != word)
            continue;
        uint64_t *row = bit_row(open, (size_t)job->settled[i].cluster);
        const uint64_t *gone = job->settled[i].gone;
        for (size_t k = 0; k < open->words; k++) {
            refuted += __builtin_popcountll(row[k] & gone[k]);
            row[k] &= ~gone[k];
        }
    }
    __atomic_fetch_add(&job->refuted, refuted, __ATOMIC_RELAXED);
}

void sight_take_rest(const struct sight *sight, int cluster, uint64_t *seen)
{
    const uint64_t *open = bit_row(&sight->open, (size_t)cluster);
    for (size_t k = 0; k < sight->open.words; k++)
        seen[k] = open[k] & ~seen[k];
}

int64_t sight_refute_rest(struct sight *sight, const struct settled *settled, size_t count)
{
    struct rest_job job = {.sight = sight, .settled = settled, .count = count};
    parallel_chunks(sight->env->threads, portals_cluster_words(sight->portals), clear_word, &job);
    return job.refuted / 2;
}

struct undecided_job {
    const struct sight *sight;
    struct bit_rows *out;
};

static void undecided_word(void *context, size_t word, int thread)
{
    (void)thread;
    const struct undecided_job *job = context;
    const struct sight *sight = job->sight;
    size_t clusters = (size_t)sight->portals->cluster_count, words = job->out->words;
    size_t end = 64 * word + 64 < clusters ? 64 * word + 64 : clusters;
    for (size_t i = 64 * word * words; i < end * words; i++)
        job->out->data[i] = sight->open.data[i] & ~sight->proven.data[i];
}

void sight_undecided(const struct sight *sight, struct bit_rows *out)
{
    struct undecided_job job = {sight, out};
    parallel_chunks(sight->env->threads, portals_cluster_words(sight->portals), undecided_word,
                    &job);
}
