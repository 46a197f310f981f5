#include "vvis/vvis.h"

#include <inttypes.h>

#include "common/core/array.h"
#include "vvis/farm.h"
#include "vvis/graph/clusters.h"
#include "vvis/graph/tree_portals.h"
#include "vvis/report/report.h"
#include "vvis/resume/checkpoint.h"
#include "vvis/resume/vis_cache.h"
#include "vvis/target/target.h"

const struct vvis_options vvis_defaults = {0};

/* A map with fewer clusters may be a single room: do not warn that it is open. */
enum { OPEN_MIN = 64 };

#define OPEN_SHARE 0.95

/* vbsp numbers clusters by the leaves that it visits, so each cluster has a leaf. */
static enum status check_clusters(const struct env *env, const struct prt *prt,
                                  const struct bsp *bsp)
{
    if (tree_has_clusters_of(bsp, prt))
        return STATUS_OK;
    return diag_report(env->diag, DIAG_VIS_CLUSTERS, NULL,
                       "the BSP has %d clusters, the portal file has %d", tree_cluster_count(bsp),
                       prt->cluster_count);
}

static void report_counts(const struct vis_work *work)
{
    struct progress *progress = work->env->progress;
    const struct pair_counts *counts = &work->counts;
    progress_count(progress, "portals", work->portals);
    if (work->env->cache)
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

static enum status run(struct vis_work *work, const struct vis_target *target,
                       struct vvis_session *session, struct bsp *bsp)
{
    const struct env alone = farm_alone(work->env), *env = &alone;
    vis_resolve(work);
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
    const struct vis_target *target;
    session = session ? session : &none;
    struct vis_work work = {
        .env = env, .options = options, .prt = prt, .has_cache = env->cache != NULL};
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
    TRY(vis_target_find(bsp, env->diag, &target));
    if (use_cache(&work, session, &stage, bsp))
        return STATUS_OK;
    if (farm_is_there(env))
        vis_farm_begin(&work, session);
    vis_work_begin(&work, session);
    enum status status = run(&work, target, session, bsp);
    vis_work_end(&work);
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
