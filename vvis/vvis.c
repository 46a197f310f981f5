#include "vvis/vvis.h"

#include "common/core/array.h"
#include "common/parallel/parallel.h"
#include "vvis/basevis/base_vis.h"
#include "vvis/flow/pair_vis.h"
#include "vvis/flow/portal_vis.h"
#include "vvis/graph/clusters.h"
#include "vvis/graph/components.h"
#include "vvis/report/report.h"
#include "vvis/resume/cache.h"
#include "vvis/resume/checkpoint.h"
#include "vvis/target/target.h"

enum {
    FAST_NARROWINGS = 4,
    CHUNK = 64, /* clusters: one is too little work to hand out */
};

const struct vvis_options vvis_defaults = {0};

/* A part with fewer of the map's portals than one in this many is not worth a line in a log. */
enum { SMALL_PART = 8 };

/* A map of fewer clusters than this may be a single room, and all right. */
enum { OPEN_MIN = 64 };

#define OPEN_PART 0.95

struct vis_work {
    const struct env *env;
    const struct vvis_options *options;
    const struct prt *prt;
    double radius;
    struct bit_rows pvs; /* of the whole map */
    struct rounds *rounds;
    struct pair_counts counts; /* of all parts */
    int portals, dropped;
    int from_cache; /* clusters */
};

/* vbsp numbers clusters by the leaves that it meets, so each has a leaf. Leaf 0 is in none, though
 * its record says 0. A map without leaves is one that only its portals are known of. */
static enum status check_clusters(const struct env *env, const struct prt *prt,
                                  const struct bsp *bsp)
{
    int clusters = 0;
    for (size_t i = 1; i < arrlenu(bsp->leaves); i++)
        if (bsp->leaves[i].cluster >= clusters)
            clusters = bsp->leaves[i].cluster + 1;
    if (!arrlen(bsp->leaves) || clusters == prt->cluster_count)
        return STATUS_OK;
    return diag_report(env->diag, DIAG_VIS_CLUSTERS, NULL,
                       "the map has %d clusters, the portal file %d", clusters, prt->cluster_count);
}

static struct bit_rows pvs_by_portal(const struct env *env, struct vis_work *work,
                                     const struct portals *portals, struct bit_rows *rows)
{
    for (int i = 0; work->options->fast && i < FAST_NARROWINGS; i++)
        base_vis_narrow(env, portals, rows);
    if (!work->options->fast) {
        struct flow_counts counts =
            portal_vis(env, portals, work->rounds, !work->options->no_sort, rows);
        flow_counts_add(&work->counts.flow, &counts);
    }
    struct bit_rows pvs = clusters_from_portals(env, portals, rows);
    clusters_symmetric(&pvs, portals->cluster_count);
    return pvs;
}

static struct bit_rows pvs_by_pair(const struct env *env, struct vis_work *work,
                                   const struct portals *portals)
{
    struct pair_counts counts;
    struct bit_rows pvs =
        pair_vis(env, portals, work->radius, work->rounds, !work->options->no_sort, &counts);
    flow_counts_add(&work->counts.flow, &counts.flow);
    work->counts.lines += counts.lines;
    work->counts.pairs += counts.pairs;
    work->counts.walked += counts.walked;
    work->counts.refuted += counts.refuted;
    work->counts.given_up += counts.given_up;
    flow_counts_add(&work->counts.cluster_flow, &counts.cluster_flow);
    work->counts.by_cluster.clusters += counts.by_cluster.clusters;
    work->counts.by_cluster.refuted += counts.by_cluster.refuted;
    return pvs;
}

static struct bit_rows find_pvs(const struct env *env, struct vis_work *work,
                                const struct portals *portals)
{
    if (!work->options->fast && !work->options->portal_flow)
        return pvs_by_pair(env, work, portals);
    struct bit_rows rows = base_vis(env, portals, work->radius);
    struct bit_rows pvs = pvs_by_portal(env, work, portals, &rows);
    memory_free(rows.data);
    return pvs;
}

/* Bits of a word of the part's numbers, which are as many of the map's, from `first` on. */
static void put_word(uint64_t *out, size_t first, uint64_t bits)
{
    out[first / 64] |= bits << (first % 64);
    if (first % 64 && bits >> (64 - first % 64))
        out[first / 64 + 1] |= bits >> (64 - first % 64);
}

struct spread_job {
    const struct vis_part *part;
    const struct bit_rows *from;
    struct bit_rows *to;
};

/* A row of it. Mostly the numbers of a word follow each other on the map. */
static void spread_row(const struct spread_job *job, size_t i)
{
    const int *clusters = job->part->clusters;
    size_t count = arrlenu(clusters);
    const uint64_t *row = bit_row(job->from, i);
    uint64_t *out = bit_row(job->to, (size_t)clusters[i]);
    for (size_t first = 0; first < count; first += 64) {
        size_t last = first + 63 < count ? first + 63 : count - 1;
        uint64_t bits = row[first / 64];
        if (clusters[last] - clusters[first] == (int)(last - first))
            put_word(out, (size_t)clusters[first], bits);
        else
            for (; bits; bits &= bits - 1)
                bit_set(out, (size_t)clusters[first + (size_t)__builtin_ctzll(bits)]);
    }
}

static void spread_some(void *context, size_t chunk, int thread)
{
    (void)thread;
    const struct spread_job *job = context;
    size_t end = (chunk + 1) * CHUNK, count = arrlenu(job->part->clusters);
    for (size_t i = chunk * CHUNK; i < end && i < count; i++)
        spread_row(job, i);
}

/* From the part's numbers to those of the map. */
static void spread(struct vis_work *work, const struct vis_part *part, const struct bit_rows *pvs)
{
    struct spread_job job = {part, pvs, &work->pvs};
    size_t chunks = (arrlenu(part->clusters) + CHUNK - 1) / CHUNK;
    parallel_for(work->env->threads, chunks, spread_some, &job);
}

static void decide_part(struct vis_work *work, size_t index, const struct vis_part *part)
{
    const char *folder = work->options->cache;
    size_t clusters = (size_t)part->prt.cluster_count;
    struct env env = *work->env;
    if (arrlenu(part->prt.portals) * SMALL_PART < arrlenu(work->prt->portals))
        env.progress = NULL;
    struct portals portals;
    portals_build_by(env.threads, &part->prt, &portals);
    work->portals += portals.count / 2;
    work->dropped += portals.dropped;
    unsigned char key[SHA256_SIZE];
    struct bit_rows pvs = {0}, costs = bit_rows_new(1, 64 * clusters);
    const struct cache_entry entry = {&pvs, &costs, part->prt.cluster_count};
    if (folder) {
        vvis_key(&(struct key_source){&part->prt, work->options, work->radius}, key);
        pvs = bit_rows_new(clusters, clusters);
    }
    rounds_part(work->rounds, index, part->clusters);
    if (folder && cache_load(&env, folder, key, &entry)) {
        work->from_cache += part->prt.cluster_count;
        uint64_t *all_costs = rounds_costs(work->rounds);
        for (size_t i = 0; i < clusters; i++)
            all_costs[part->clusters[i]] = costs.data[i];
    } else {
        memory_free(pvs.data);
        pvs = find_pvs(&env, work, &portals);
        const uint64_t *all_costs = rounds_costs(work->rounds);
        for (size_t i = 0; i < clusters; i++)
            costs.data[i] = all_costs[part->clusters[i]];
        if (folder && !rounds_stopped(work->rounds))
            cache_store(&env, folder, key, &entry);
    }
    if (!rounds_stopped(work->rounds))
        spread(work, part, &pvs);
    portals_free(&portals);
    memory_free(pvs.data);
    memory_free(costs.data);
}

static void decide_parts(struct vis_work *work)
{
    struct vis_part *parts = parts_split(work->prt);
    for (int i = 0; i < work->prt->cluster_count; i++)
        bit_set(bit_row(&work->pvs, (size_t)i), (size_t)i);
    for (size_t i = rounds_first_part(work->rounds, arrlenu(parts)); i < arrlenu(parts); i++) {
        decide_part(work, i, &parts[i]);
        if (rounds_stopped(work->rounds))
            break;
    }
    parts_free(parts);
}

static enum status report_stop(const struct vis_work *work, const char *checkpoint)
{
    const struct diag_where where = {.file = checkpoint};
    return diag_report(work->env->diag, DIAG_VIS_STOPPED, &where, "%s",
                       rounds_kept(work->rounds) ? "what is known so far is kept there"
                                                 : "nothing was kept of it");
}

static void tell_counts(const struct vis_work *work)
{
    struct progress *progress = work->env->progress;
    const struct pair_counts *counts = &work->counts;
    progress_count(progress, "portals", work->portals);
    if (work->options->cache)
        progress_count(progress, "clusters from the cache", work->from_cache);
    if (!work->options->fast && !work->options->portal_flow) {
        progress_count(progress, "lines", counts->lines);
        progress_count(progress, "clusters settled at once", counts->by_cluster.clusters);
        progress_count(progress, "pairs refuted by them", counts->by_cluster.refuted);
        progress_count(progress, "chains of clusters", counts->cluster_flow.chains);
        progress_count(progress, "undecided pairs", counts->pairs);
        progress_count(progress, "pairs left to the flow", counts->walked);
        progress_count(progress, "pairs refuted", counts->refuted);
        progress_count(progress, "pairs given up", counts->given_up);
    }
    if (!work->options->fast) {
        progress_count(progress, "chains", counts->flow.chains);
        progress_count(progress, "clips", counts->flow.clips);
        progress_count(progress,
                       work->options->portal_flow ? "most chains of a portal"
                                                  : "most chains of a pair",
                       counts->flow.worst);
    }
    int clusters = work->prt->cluster_count;
    int64_t pairs = clusters_pairs(&work->pvs, clusters);
    progress_count(progress, "clusters", clusters);
    progress_count(progress, "visible pairs of clusters", pairs);
    progress_count(progress, "average clusters visible", clusters ? pairs / clusters : 0);
    if (clusters >= OPEN_MIN && (double)pairs > OPEN_PART * clusters * clusters)
        diag_report(work->env->diag, DIAG_VIS_OPEN, NULL,
                    "a cluster sees %.1f %% of the others on average",
                    100.0 * (double)pairs / clusters / clusters);
    if (work->dropped)
        diag_report(work->env->diag, DIAG_VIS_PORTALS_DROPPED, NULL, "%d of %td portals",
                    work->dropped, arrlen(work->prt->portals));
}

static enum status run(struct vis_work *work, const struct vvis_session *session, struct bsp *bsp)
{
    const struct env *env = work->env;
    const struct vis_target *target;
    TRY(vis_target_find(bsp, env->diag, &target));
    decide_parts(work);
    if (rounds_stopped(work->rounds))
        return report_stop(work, session->checkpoint);
    progress_begin(env->progress, "clusters", 0);
    target->store(env, &(struct vis_result){&work->pvs, work->prt->cluster_count, work->radius},
                  bsp);
    progress_end(env->progress);
    tell_counts(work);
    const struct report_input input = {work->prt, bsp, &work->pvs, rounds_costs(work->rounds),
                                       work->radius};
    if (session->report)
        report_make(env, &input, session->report);
    return STATUS_OK;
}

enum status vvis_run_session(const struct env *env, const struct vvis_options *options,
                             const struct vvis_session *session, const struct prt *prt,
                             struct bsp *bsp)
{
    static const struct vvis_session none = {0};
    session = session ? session : &none;
    struct vis_work work = {.env = env, .options = options, .prt = prt};
    TRY(check_clusters(env, prt, bsp));
    TRY(vis_radius_of(env, options, bsp, &work.radius));
    const struct rounds_file file = {.path = session->checkpoint,
                                     .key = {prt, options, work.radius},
                                     .resume = session->resume,
                                     .seconds = session->checkpoint_seconds};
    work.pvs =
        bit_rows_new_by(env->threads, (size_t)prt->cluster_count, (size_t)prt->cluster_count);
    work.rounds = rounds_new(env, &file, session->stop, &work.pvs, prt->cluster_count);
    enum status status = run(&work, session, bsp);
    rounds_free(work.rounds);
    memory_free(work.pvs.data);
    return status;
}

enum status vvis_run(const struct env *env, const struct vvis_options *options,
                     const struct prt *prt, struct bsp *bsp)
{
    return vvis_run_session(env, options, NULL, prt, bsp);
}
