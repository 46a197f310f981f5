#include "vvis/vvis.h"

#include <inttypes.h>

#include "common/core/array.h"
#include "common/core/clock.h"
#include "common/parallel/parallel.h"
#include "vvis/basevis/base_vis.h"
#include "vvis/flow/pair_vis.h"
#include "vvis/flow/portal_vis.h"
#include "vvis/graph/clusters.h"
#include "vvis/graph/components.h"
#include "vvis/report/report.h"
#include "vvis/resume/cache.h"
#include "vvis/resume/cache_key.h"
#include "vvis/resume/checkpoint.h"
#include "vvis/resume/vis_cache.h"
#include "vvis/target/target.h"

enum {
    FAST_REFINEMENTS = 4,
    CHUNK = 64, /* clusters per work item: one is too little */
};

const struct vvis_options vvis_defaults = {0};

/* Components with less than this fraction (1 / N) of the map's portals show no progress. */
enum { SMALL_COMPONENT = 8 };

/* A map with fewer clusters may be a single room: do not warn that it is open. */
enum { OPEN_MIN = 64 };

#define OPEN_SHARE 0.95

struct vis_work {
    const struct env *env;
    const struct vvis_options *options;
    const struct prt *prt;
    double radius;
    struct bit_rows pvs; /* of the whole map */
    struct checkpoint *checkpoint;
    struct pair_counts counts; /* of all components */
    int portals, dropped;
    double deadline; /* of options->budget_seconds; 0: none */
    int from_cache;  /* clusters found in the cache */
};

/* vbsp numbers clusters by the leaves that it visits, so each cluster has a leaf. Leaf 0 belongs
 * to none, although its record says 0. A map without leaves is one of which only the portals are
 * known. */
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
                       "the BSP has %d clusters, the portal file has %d", clusters,
                       prt->cluster_count);
}

static struct bit_rows pvs_by_portal(const struct env *env, struct vis_work *work,
                                     const struct portals *portals, struct bit_rows *rows)
{
    for (int i = 0; work->options->fast && i < FAST_REFINEMENTS; i++)
        base_vis_refine(env, portals, rows);
    if (!work->options->fast) {
        struct flow_counts counts =
            portal_vis(env, portals, work->checkpoint, !work->options->no_sort, rows);
        flow_counts_add(&work->counts.flow, &counts);
    }
    struct bit_rows pvs = clusters_from_portals(env, portals, rows);
    clusters_make_symmetric(&pvs, portals->cluster_count);
    return pvs;
}

/* The component's share of the budgets. The deadline is that of the map. */
static struct effort effort_for(const struct vis_work *work, const struct portals *portals)
{
    double share = (double)portals->count / 2 / (double)(arrlenu(work->prt->portals) + 1);
    struct effort effort = {.deadline = work->deadline};
    if (work->options->budget > 0)
        effort.chains = 1 + (int64_t)(work->options->budget * share);
    return effort;
}

static struct bit_rows pvs_by_pair(const struct env *env, struct vis_work *work,
                                   const struct portals *portals)
{
    struct pair_counts counts;
    struct bit_rows pvs = pair_vis(env, portals, work->radius, work->checkpoint,
                                   !work->options->no_sort, effort_for(work, portals), &counts);
    flow_counts_add(&work->counts.flow, &counts.flow);
    work->counts.lines += counts.lines;
    work->counts.pairs += counts.pairs;
    work->counts.sent_to_flow += counts.sent_to_flow;
    work->counts.culled += counts.culled;
    work->counts.over_budget += counts.over_budget;
    work->counts.left_open += counts.left_open;
    flow_counts_add(&work->counts.cluster_flow, &counts.cluster_flow);
    work->counts.by_cluster.clusters += counts.by_cluster.clusters;
    work->counts.by_cluster.culled += counts.by_cluster.culled;
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

/* Sets a word of bits in a row, from bit `first` on. */
static void or_word(uint64_t *out, size_t first, uint64_t bits)
{
    out[first / 64] |= bits << (first % 64);
    if (first % 64 && bits >> (64 - first % 64))
        out[first / 64 + 1] |= bits >> (64 - first % 64);
}

struct scatter_job {
    const struct vis_component *component;
    const struct bit_rows *from;
    struct bit_rows *to;
};

/* Copies a row from the component's numbering to the map's. Clusters of a word are mostly
 * consecutive in the map. */
static void scatter_row(const struct scatter_job *job, size_t i)
{
    const int *clusters = job->component->clusters;
    size_t count = arrlenu(clusters);
    const uint64_t *row = bit_row(job->from, i);
    uint64_t *out = bit_row(job->to, (size_t)clusters[i]);
    for (size_t first = 0; first < count; first += 64) {
        size_t last = first + 63 < count ? first + 63 : count - 1;
        uint64_t bits = row[first / 64];
        if (clusters[last] - clusters[first] == (int)(last - first))
            or_word(out, (size_t)clusters[first], bits);
        else
            for (; bits; bits &= bits - 1)
                bit_set(out, (size_t)clusters[first + (size_t)__builtin_ctzll(bits)]);
    }
}

static void scatter_chunk(void *context, size_t chunk, int thread)
{
    (void)thread;
    const struct scatter_job *job = context;
    size_t end = (chunk + 1) * CHUNK, count = arrlenu(job->component->clusters);
    for (size_t i = chunk * CHUNK; i < end && i < count; i++)
        scatter_row(job, i);
}

/* Copies the PVS from the component's numbering to the map's. */
static void scatter_rows(struct vis_work *work, const struct vis_component *component,
                         const struct bit_rows *pvs)
{
    struct scatter_job job = {component, pvs, &work->pvs};
    size_t chunks = (arrlenu(component->clusters) + CHUNK - 1) / CHUNK;
    parallel_for(work->env->threads, chunks, scatter_chunk, &job);
}

static size_t portals_for_key(const struct vis_work *work)
{
    return work->options->budget > 0 ? arrlenu(work->prt->portals) : 0;
}

/* Only what is decided is stored, so that what a budget leaves open is told by every run. */
static void resolve_component(struct vis_work *work, size_t index,
                              const struct vis_component *component)
{
    const char *folder = work->deadline > 0 ? NULL : work->options->cache;
    size_t clusters = (size_t)component->prt.cluster_count;
    struct env env = *work->env;
    if (arrlenu(component->prt.portals) * SMALL_COMPONENT < arrlenu(work->prt->portals))
        env.progress = NULL;
    struct portals portals;
    portals_build_parallel(env.threads, &component->prt, &portals);
    work->portals += portals.count / 2;
    work->dropped += portals.dropped;
    unsigned char key[SHA256_SIZE];
    struct bit_rows pvs = {0}, costs = bit_rows_new(1, 64 * clusters);
    const struct cache_entry entry = {&pvs, &costs, component->prt.cluster_count};
    if (folder) {
        cache_key(&(struct cache_key_source){&component->prt, work->options, work->radius,
                                             portals_for_key(work)},
                  key);
        pvs = bit_rows_new(clusters, clusters);
    }
    checkpoint_set_component(work->checkpoint, index, component->clusters);
    if (folder && cache_load(&env, folder, key, &entry)) {
        work->from_cache += component->prt.cluster_count;
        uint64_t *all_costs = checkpoint_costs(work->checkpoint);
        for (size_t i = 0; i < clusters; i++)
            all_costs[component->clusters[i]] = costs.data[i];
    } else {
        int64_t left_open = work->counts.left_open;
        memory_free(pvs.data);
        pvs = find_pvs(&env, work, &portals);
        const uint64_t *all_costs = checkpoint_costs(work->checkpoint);
        for (size_t i = 0; i < clusters; i++)
            costs.data[i] = all_costs[component->clusters[i]];
        if (folder && !checkpoint_stopped(work->checkpoint) && work->counts.left_open == left_open)
            cache_store(&env, folder, key, &entry);
    }
    if (!checkpoint_stopped(work->checkpoint))
        scatter_rows(work, component, &pvs);
    portals_free(&portals);
    memory_free(pvs.data);
    memory_free(costs.data);
}

static void resolve_components(struct vis_work *work)
{
    struct vis_component *components = components_find(work->prt);
    for (int i = 0; i < work->prt->cluster_count; i++)
        bit_set(bit_row(&work->pvs, (size_t)i), (size_t)i);
    for (size_t i = checkpoint_first_component(work->checkpoint, arrlenu(components));
         i < arrlenu(components); i++) {
        resolve_component(work, i, &components[i]);
        if (checkpoint_stopped(work->checkpoint))
            break;
    }
    components_free(components);
}

static void report_counts(const struct vis_work *work)
{
    struct progress *progress = work->env->progress;
    const struct pair_counts *counts = &work->counts;
    progress_count(progress, "portals", work->portals);
    if (work->options->cache)
        progress_count(progress, "cached clusters", work->from_cache);
    if (!work->options->fast && !work->options->portal_flow) {
        progress_count(progress, "sightlines", counts->lines);
        progress_count(progress, "clusters resolved by cluster flow", counts->by_cluster.clusters);
        progress_count(progress, "pairs culled by cluster flow", counts->by_cluster.culled);
        progress_count(progress, "cluster-flow steps", counts->cluster_flow.chains);
        progress_count(progress, "undecided pairs", counts->pairs);
        progress_count(progress, "pairs sent to portal flow", counts->sent_to_flow);
        progress_count(progress, "pairs culled", counts->culled);
        progress_count(progress, "pairs over budget", counts->over_budget);
        if (work->options->budget > 0 || work->deadline > 0)
            progress_count(progress, "pairs left open", counts->left_open);
    }
    if (!work->options->fast) {
        progress_count(progress, "chains", counts->flow.chains);
        progress_count(progress, "clips", counts->flow.clips);
        progress_count(progress,
                       work->options->portal_flow ? "max chains per portal" : "max chains per pair",
                       counts->flow.worst);
    }
    int clusters = work->prt->cluster_count;
    int64_t pairs = clusters_pairs(&work->pvs, clusters);
    progress_count(progress, "clusters", clusters);
    progress_count(progress, "visible cluster pairs", pairs);
    progress_count(progress, "average clusters visible", clusters ? pairs / clusters : 0);
    if (clusters >= OPEN_MIN && (double)pairs > OPEN_SHARE * clusters * clusters)
        diag_report(work->env->diag, DIAG_VIS_OPEN, NULL,
                    "a cluster sees %.1f %% of all clusters on average",
                    100.0 * (double)pairs / clusters / clusters);
    if (work->dropped)
        diag_report(work->env->diag, DIAG_VIS_PORTALS_DROPPED, NULL, "%d of %td portals",
                    work->dropped, arrlen(work->prt->portals));
}

static void report_budget(const struct vis_work *work)
{
    int64_t left = work->counts.left_open;
    double pairs = (double)work->prt->cluster_count * work->prt->cluster_count / 2;
    if (!left)
        return;
    if (work->deadline > 0)
        diag_report(work->env->diag, DIAG_VIS_BUDGET_TIME, NULL,
                    "%" PRId64 " pairs of clusters (%.2f %%) taken as visible after %g seconds",
                    left, 100 * (double)left / pairs, work->options->budget_seconds);
    else
        diag_report(work->env->diag, DIAG_VIS_BUDGET, NULL,
                    "%" PRId64 " pairs of clusters (%.2f %%) taken as visible after %.0f chains",
                    left, 100 * (double)left / pairs, work->options->budget);
}

static enum status run(struct vis_work *work, struct vvis_session *session, struct bsp *bsp)
{
    const struct env *env = work->env;
    const struct vis_target *target;
    TRY(vis_target_find(bsp, env->diag, &target));
    resolve_components(work);
    session->is_kept = checkpoint_written(work->checkpoint);
    if (checkpoint_stopped(work->checkpoint))
        return STATUS_FAILED;
    progress_begin(env->progress, "encode visibility", 0);
    target->store(env, &(struct vis_result){&work->pvs, work->prt->cluster_count, work->radius},
                  bsp);
    progress_end(env->progress);
    report_counts(work);
    report_budget(work);
    const struct report_input input = {work->prt, bsp, &work->pvs,
                                       checkpoint_costs(work->checkpoint), work->radius};
    if (session->report)
        report_make(env, &input, session->report);
    return STATUS_OK;
}

static enum status run_with_checkpoint(struct vis_work *work, struct vvis_session *session,
                                       struct bsp *bsp)
{
    const struct env *env = work->env;
    const struct vvis_options *options = work->options;
    const struct prt *prt = work->prt;
    const struct checkpoint_file file = {.path = session->checkpoint,
                                         .key = {prt, options, work->radius, 0},
                                         .resume = session->resume.resume,
                                         .seconds = session->resume.seconds};
    if (options->budget_seconds > 0)
        work->deadline = clock_seconds(CLOCK_MONOTONIC) + options->budget_seconds;
    work->pvs =
        bit_rows_new_parallel(env->threads, (size_t)prt->cluster_count, (size_t)prt->cluster_count);
    work->checkpoint = checkpoint_new(env, &file, &work->pvs, prt->cluster_count);
    enum status status = run(work, session, bsp);
    checkpoint_free(work->checkpoint);
    memory_free(work->pvs.data);
    return status;
}

/* A run for a report needs what the cache does not have, and one of so many seconds repeats none.
 */
static bool use_cache(const struct vis_work *work, const struct vvis_session *session,
                      struct stage_cache *stage, struct bsp *bsp)
{
    const struct vis_target *target = vis_target_of(bsp);
    bool can_keep = target && !session->report && work->options->budget_seconds <= 0;
    *stage = (struct stage_cache){
        .cache = can_keep ? work->env->cache : NULL, .stage = "vvis", .env = work->env};
    struct vis_cache_source source = {
        .portals = {work->prt, work->options, work->radius, arrlenu(work->prt->portals)}};
    struct sha256 hash;
    sha256_begin(&hash);
    if (stage->cache)
        target->hash(bsp, work->prt->cluster_count, &hash);
    sha256_end(&hash, source.bsp);
    bool is_used = vis_cache_use(stage, &source, bsp);
    if (is_used)
        stage_cache_end(stage);
    return is_used;
}

enum status vvis_run_session(const struct env *env, const struct vvis_options *options,
                             struct vvis_session *session, const struct prt *prt, struct bsp *bsp)
{
    struct vvis_session none = {0};
    session = session ? session : &none;
    struct vis_work work = {.env = env, .options = options, .prt = prt};
    struct stage_cache stage;
    TRY(check_clusters(env, prt, bsp));
    progress_size(env->progress, "clusters", prt->cluster_count);
    progress_size(env->progress, "portals", arrlen(prt->portals));
    if (options->portal_flow && (options->budget > 0 || options->budget_seconds > 0)) {
        (void)diag_report(env->diag, DIAG_USAGE, NULL,
                          "--budget and --portalflow cannot be combined");
        return STATUS_USAGE;
    }
    TRY(vis_radius_of(env, options, bsp, &work.radius));
    if (use_cache(&work, session, &stage, bsp))
        return STATUS_OK;
    enum status status = run_with_checkpoint(&work, session, bsp);
    if (status == STATUS_OK)
        vis_cache_keep(&stage, bsp);
    stage_cache_end(&stage);
    return status;
}

enum status vvis_run(const struct env *env, const struct vvis_options *options,
                     const struct prt *prt, struct bsp *bsp)
{
    return vvis_run_session(env, options, NULL, prt, bsp);
}
