#include "vvis/graph/clusters.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/parallel/parallel.h"

enum {
    BLOCK = 8,  /* words: a row is a multiple of 8 */
    CHUNK = 16, /* clusters per work item: one is too little */
};

/* Bits in one word of a row of clusters. */
struct full_word {
    size_t word;
    uint64_t bits;
};

struct cluster_job {
    const struct portals *portals;
    const struct bit_rows *rows; /* of portals, or the PVS */
    struct bit_rows out;
    struct bit_rows scratch; /* one per thread: a row of portals */
    struct full_word *full;  /* stb_ds array */
    int *first_full;         /* per word of a row of portals, index into `full` */
    int clusters;
    size_t *seen; /* per thread, one entry per bit of a row */
};

/* Joins the rows of the portals that leave the cluster, and sets these portals. */
static void join_rows(const struct cluster_job *job, size_t cluster, uint64_t *out)
{
    const struct portals *portals = job->portals;
    size_t words = job->rows->words;
    memset(out, 0, words * sizeof *out);
    for (int i = portals->first[cluster]; i < portals->first[cluster + 1]; i++) {
        const uint64_t *row = bit_row(job->rows, (size_t)portals->leaving[i]);
        for (size_t k = 0; k < words; k++)
            out[k] |= row[k];
        bit_set(out, (size_t)portals->leaving[i]);
    }
}

/* A word with all portals set uses the precomputed clusters of the word. */
static void add_seen_clusters(void *context, size_t cluster, int thread)
{
    struct cluster_job *job = context;
    const int *to = job->portals->to;
    uint64_t *out = bit_row(&job->out, cluster), *seen = bit_row(&job->scratch, (size_t)thread);
    join_rows(job, cluster, seen);
    bit_set(out, cluster);
    for (size_t word = 0; word < job->rows->words; word++) {
        if (seen[word] != UINT64_MAX) {
            for (uint64_t left = seen[word]; left; left &= left - 1)
                bit_set(out, (size_t)to[word * 64 + (size_t)__builtin_ctzll(left)]);
            continue;
        }
        for (int i = job->first_full[word]; i < job->first_full[word + 1]; i++)
            out[job->full[i].word] |= job->full[i].bits;
    }
}

/* Lists, for each word of a row, the clusters that its portals lead into. */
static void list_full(struct cluster_job *job)
{
    size_t words = job->rows->words, count = (size_t)job->portals->count;
    job->first_full = memory_zalloc(words + 1, sizeof *job->first_full);
    for (size_t word = 0; word < words; word++) {
        ptrdiff_t first = arrlen(job->full);
        for (size_t p = 64 * word; p < 64 * word + 64 && p < count; p++) {
            size_t cluster = (size_t)job->portals->to[p];
            ptrdiff_t i = first;
            while (i < arrlen(job->full) && job->full[i].word != cluster / 64)
                i++;
            if (i == arrlen(job->full))
                arrput(job->full, ((struct full_word){cluster / 64, 0}));
            job->full[i].bits |= (uint64_t)1 << (cluster % 64);
        }
        job->first_full[word + 1] = (int)arrlen(job->full);
    }
}

struct bit_rows clusters_from_portals(const struct env *env, const struct portals *portals,
                                      const struct bit_rows *rows)
{
    size_t clusters = (size_t)portals->cluster_count;
    struct cluster_job job = {
        .portals = portals,
        .rows = rows,
        .out = bit_rows_new(clusters, clusters),
        .scratch = bit_rows_new((size_t)env->threads, (size_t)portals->count),
    };
    list_full(&job);
    parallel_for(env->threads, clusters, add_seen_clusters, &job);
    memory_free(job.scratch.data);
    memory_free(job.first_full);
    arrfree(job.full);
    return job.out;
}

void clusters_make_symmetric(struct bit_rows *pvs, int clusters)
{
    for (size_t i = 0; i < (size_t)clusters; i++) {
        for (size_t j = 0; j < i; j++) {
            if (bit_get(bit_row(pvs, i), j) != bit_get(bit_row(pvs, j), i)) {
                bit_clear(bit_row(pvs, i), j);
                bit_clear(bit_row(pvs, j), i);
            }
        }
    }
}

/* Joins as many words of a row as fit into registers, so that each row is read once. */
static void join_block(const struct cluster_job *job, const size_t *seen, size_t count, size_t word,
                       uint64_t *out)
{
    uint64_t sum[BLOCK] = {0};
    for (size_t i = 0; i < count; i++) {
        const uint64_t *row = bit_row(job->rows, seen[i]) + word;
        for (size_t k = 0; k < BLOCK; k++)
            sum[k] |= row[k];
    }
    memcpy(out + word, sum, sizeof sum);
}

static void add_audible(struct cluster_job *job, size_t cluster, size_t *seen)
{
    const uint64_t *row = bit_row(job->rows, cluster);
    uint64_t *out = bit_row(&job->out, cluster);
    size_t words = job->rows->words, count = 0;
    for (size_t k = 0; k < words; k++)
        for (uint64_t left = row[k]; left; left &= left - 1)
            seen[count++] = 64 * k + (size_t)__builtin_ctzll(left);
    for (size_t word = 0; word < words; word += BLOCK)
        join_block(job, seen, count, word, out);
}

static void add_audible_chunk(void *context, size_t chunk, int thread)
{
    struct cluster_job *job = context;
    size_t clusters = (size_t)job->clusters, first = chunk * CHUNK;
    size_t *seen = job->seen + (size_t)thread * 64 * job->rows->words;
    for (size_t i = first; i < first + CHUNK && i < clusters; i++)
        add_audible(job, i, seen);
}

struct bit_rows clusters_audible(const struct env *env, const struct bit_rows *pvs, int clusters)
{
    size_t count = (size_t)clusters;
    struct cluster_job job = {
        .rows = pvs,
        .clusters = clusters,
        .out = bit_rows_new_uninitialised(count, count),
        .seen = memory_zalloc((size_t)env->threads, 64 * pvs->words * sizeof *job.seen),
    };
    parallel_for(env->threads, (count + CHUNK - 1) / CHUNK, add_audible_chunk, &job);
    memory_free(job.seen);
    return job.out;
}

int64_t clusters_pairs(const struct bit_rows *pvs, int clusters)
{
    return (int64_t)bit_count(pvs->data, (size_t)clusters * pvs->words);
}
