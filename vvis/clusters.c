#include "vvis/clusters.h"

#include "common/core/memory.h"
#include "common/core/parallel.h"

struct cluster_job {
    const struct portals *portals;
    const struct bit_rows *rows; /* of portals, or the PVS */
    struct bit_rows out;
};

static void add_seen_clusters(void *context, size_t cluster, int thread)
{
    (void)thread;
    struct cluster_job *job = context;
    const struct portals *portals = job->portals;
    uint64_t *out = bit_row(&job->out, cluster);
    size_t words = job->rows->words;
    bit_set(out, cluster);
    for (int i = portals->first[cluster]; i < portals->first[cluster + 1]; i++) {
        int p = portals->leaving[i];
        const uint64_t *row = bit_row(job->rows, (size_t)p);
        bit_set(out, (size_t)portals->to[p]);
        for (size_t q = bit_next(row, words, 0); q != SIZE_MAX; q = bit_next(row, words, q + 1))
            bit_set(out, (size_t)portals->to[q]);
    }
}

struct bit_rows clusters_from_portals(const struct env *env, const struct portals *portals,
                                      const struct bit_rows *rows)
{
    size_t clusters = (size_t)portals->cluster_count;
    struct cluster_job job = {portals, rows, bit_rows_new(clusters, clusters)};
    parallel_for(env->threads, clusters, add_seen_clusters, &job);
    return job.out;
}

void clusters_symmetric(struct bit_rows *pvs, int clusters)
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

static void add_audible(void *context, size_t cluster, int thread)
{
    (void)thread;
    struct cluster_job *job = context;
    const uint64_t *seen = bit_row(job->rows, cluster);
    uint64_t *out = bit_row(&job->out, cluster);
    size_t words = job->rows->words;
    for (size_t j = bit_next(seen, words, 0); j != SIZE_MAX; j = bit_next(seen, words, j + 1)) {
        const uint64_t *other = bit_row(job->rows, j);
        for (size_t k = 0; k < words; k++)
            out[k] |= other[k];
    }
}

struct bit_rows clusters_audible(const struct env *env, const struct bit_rows *pvs, int clusters)
{
    struct cluster_job job = {NULL, pvs, bit_rows_new((size_t)clusters, (size_t)clusters)};
    parallel_for(env->threads, (size_t)clusters, add_audible, &job);
    return job.out;
}

int64_t clusters_pairs(const struct bit_rows *pvs, int clusters)
{
    return (int64_t)bit_count(pvs->data, (size_t)clusters * pvs->words);
}
