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
                arrput(sight->touched, ((struct touched_word){even / 64, 0}));
            arrlast(sight->touched).bits |= (uint64_t)3 << (even % 64);
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
    clusters_symmetric(&out->open, portals->cluster_count);
    list_touched(out);
    sight_narrow(out);
    out->lines = lines_new(env, portals, rows, &out->proven);
}

void sight_free(struct sight *sight)
{
    memory_free(sight->proven.data);
    memory_free(sight->first_touched);
    memory_free(sight->scratch);
    memory_free(sight->first_partner);
    arrfree(sight->touched);
    arrfree(sight->refuted);
    arrfree(sight->partners);
}

/* A line through portal x and then y visits the clusters on both sides of both: each must see each.
 * For a row x, as bits of y. */
static void keep_open(void *context, size_t x, int thread)
{
    (void)thread;
    struct sight *sight = context;
    const struct portals *portals = sight->portals;
    uint64_t *row = bit_row(sight->rows, x);
    const uint64_t *ahead = bit_row(&sight->open, (size_t)portals->to[x]);
    const uint64_t *behind = bit_row(&sight->open, (size_t)portals->to[x ^ 1]);
    size_t words = sight->rows->words;
    for (size_t y = bit_next(row, words, 0); y != SIZE_MAX; y = bit_next(row, words, y + 1)) {
        size_t from = (size_t)portals->to[y ^ 1], to = (size_t)portals->to[y];
        if (!bit_get(ahead, from) || !bit_get(ahead, to) || !bit_get(behind, from) ||
            !bit_get(behind, to))
            bit_clear(row, y);
    }
}

void sight_narrow(struct sight *sight)
{
    parallel_for(sight->env->threads, (size_t)sight->portals->count, keep_open, sight);
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
    for (int i = sight->first_partner[cluster]; i < sight->first_partner[cluster + 1]; i++) {
        int partner = sight->partners[i];
        for (int k = sight->first_touched[partner]; k < sight->first_touched[partner + 1]; k++)
            row[sight->touched[k].word] &= ~sight->touched[k].bits;
    }
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

void sight_undecided(const struct sight *sight, struct bit_rows *out)
{
    for (size_t i = 0; i < (size_t)sight->portals->cluster_count * out->words; i++)
        out->data[i] = sight->open.data[i] & ~sight->proven.data[i];
}
