#include "vvis/sight.h"

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/parallel.h"
#include "vvis/clusters.h"

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

void sight_new(const struct env *env, const struct portals *portals, struct bit_rows *rows,
               struct sight *out)
{
    size_t clusters = (size_t)portals->cluster_count;
    *out = (struct sight){
        .env = env,
        .portals = portals,
        .rows = rows,
        .open = clusters_from_portals(env, portals, rows),
        .proven = bit_rows_new(clusters, clusters),
        .first_touched = memory_zalloc(clusters + 1, sizeof *out->first_touched),
        .first_partner = memory_zalloc(clusters + 2, sizeof *out->first_partner),
        .scratch = memory_aligned(bit_words(clusters), sizeof *out->scratch),
    };
    list_touched(out);
    sight_narrow(out);
    out->lines = lines_new(env, portals, rows, &out->proven);
}

void sight_free(struct sight *sight)
{
    memory_free(sight->proven.data);
    memory_free(sight->beyond.data);
    memory_free(sight->first_touched);
    memory_free(sight->scratch);
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

static void beyond_by_open(const struct sight *sight, const uint64_t *open, uint64_t *beyond)
{
    for (size_t c = bit_next(open, sight->open.words, 0); c != SIZE_MAX;
         c = bit_next(open, sight->open.words, c + 1))
        for (int k = sight->first_touched[c]; k < sight->first_touched[c + 1]; k++)
            beyond[sight->touched[k].word] |= sight->touched[k].into;
    for (size_t k = 0; k < sight->beyond.words; k++)
        beyond[k] &= bits_swap_pairs(beyond[k]);
}

/* A line through a cluster and portal y visits the clusters on both sides of y: each must be open.
 */
static void find_beyond(void *context, size_t cluster, int thread)
{
    (void)thread;
    const struct sight *sight = context;
    const uint64_t *open = bit_row(&sight->open, cluster);
    uint64_t *beyond = bit_row(&sight->beyond, cluster);
    if (2 * bit_count(open, sight->open.words) < (size_t)sight->portals->cluster_count)
        beyond_by_open(sight, open, beyond);
    else
        beyond_by_closed(sight, open, beyond);
}

void sight_begin_beyond(struct sight *sight)
{
    const struct portals *portals = sight->portals;
    size_t clusters = (size_t)portals->cluster_count;
    sight->beyond = bit_rows_new(clusters, (size_t)portals->count);
    parallel_for(sight->env->threads, clusters, find_beyond, sight);
}

static void narrow_some(void *context, size_t chunk, int thread)
{
    (void)thread;
    const struct sight *sight = context;
    const int *to = sight->portals->to;
    size_t end = (chunk + 1) * CHUNK, count = (size_t)sight->portals->count;
    for (size_t x = chunk * CHUNK; x < end && x < count; x++) {
        uint64_t *row = bit_row(sight->rows, x);
        const uint64_t *ahead = bit_row(&sight->beyond, (size_t)to[x]);
        const uint64_t *behind = bit_row(&sight->beyond, (size_t)to[x ^ 1]);
        for (size_t k = 0; k < sight->rows->words; k++)
            row[k] &= ahead[k] & behind[k];
    }
}

void sight_narrow(struct sight *sight)
{
    if (!sight->beyond.data)
        sight_begin_beyond(sight);
    size_t chunks = ((size_t)sight->portals->count + CHUNK - 1) / CHUNK;
    parallel_for(sight->env->threads, chunks, narrow_some, sight);
    memory_free(sight->beyond.data);
    sight->beyond.data = NULL;
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
    list_partners(sight);
    size_t chunks = ((size_t)sight->portals->count + CHUNK - 1) / CHUNK;
    parallel_for(sight->env->threads, chunks, clear_some_rows, sight);
    arrsetlen(sight->refuted, 0);
}

struct rest_job {
    struct sight *sight;
    const int *settled;
    const struct bit_rows *seen;
    size_t count;
    int *row_of;     /* by cluster: of `seen`, or -1 */
    int64_t refuted; /* pairs, each from both of its clusters */
};

/* What the cluster's own walk has not seen goes, and it from who has not seen it. */
static void refute_of_cluster(struct rest_job *job, size_t cluster)
{
    struct sight *sight = job->sight;
    uint64_t *open = bit_row(&sight->open, cluster), *beyond = bit_row(&sight->beyond, cluster);
    size_t words = sight->open.words, before = bit_count(open, words);
    for (size_t i = 0; i < job->count; i++) {
        size_t other = (size_t)job->settled[i];
        if (!bit_get(open, other) || bit_get(bit_row(job->seen, i), cluster))
            continue;
        bit_clear(open, other);
        close_portals(sight, other, beyond);
    }
    if (job->row_of[cluster] >= 0) {
        const uint64_t *seen = bit_row(job->seen, (size_t)job->row_of[cluster]);
        for (size_t k = 0; k < words; k++)
            open[k] &= seen[k];
        memset(beyond, 0, sight->beyond.words * sizeof *beyond);
        find_beyond(sight, cluster, 0);
    }
    __atomic_fetch_add(&job->refuted, (int64_t)(before - bit_count(open, words)), __ATOMIC_RELAXED);
}

static void refute_some(void *context, size_t chunk, int thread)
{
    (void)thread;
    struct rest_job *job = context;
    size_t end = (chunk + 1) * CHUNK, count = (size_t)job->sight->portals->cluster_count;
    for (size_t c = chunk * CHUNK; c < end && c < count; c++)
        refute_of_cluster(job, c);
}

int64_t sight_refute_rest(struct sight *sight, const int *settled, const struct bit_rows *seen,
                          size_t count)
{
    size_t clusters = (size_t)sight->portals->cluster_count;
    struct rest_job job = {.sight = sight, .settled = settled, .seen = seen, .count = count};
    job.row_of = memory_zalloc(clusters + 1, sizeof *job.row_of);
    memset(job.row_of, 0xff, clusters * sizeof *job.row_of);
    for (size_t i = 0; i < count; i++)
        job.row_of[settled[i]] = (int)i;
    parallel_for(sight->env->threads, (clusters + CHUNK - 1) / CHUNK, refute_some, &job);
    memory_free(job.row_of);
    return job.refuted / 2;
}

void sight_undecided(const struct sight *sight, struct bit_rows *out)
{
    for (size_t i = 0; i < (size_t)sight->portals->cluster_count * out->words; i++)
        out->data[i] = sight->open.data[i] & ~sight->proven.data[i];
}
