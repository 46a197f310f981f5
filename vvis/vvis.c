#include "vvis/vvis.h"

#include <inttypes.h>

#include "common/core/array.h"
#include "common/diag/codes/clusters.def"
#include "common/diag/codes/usage.def"
#include "common/diag/codes/visibility.def"
#include "vvis/farm.h"
#include "vvis/graph/clusters.h"
#include "vvis/graph/tree_portals.h"
#include "vvis/report/report.h"
#include "vvis/resolve.h"
#include "vvis/resolve_options.h"
#include "vvis/resume/vis_result.h"
#include "vvis/target/target.h"

/* Counters of vvis, and warnings about its result. */

/* A map with fewer clusters may be a single room: do not warn that it is open. */
enum { OPEN_MIN = 64 };

#define OPEN_SHARE 0.95

static void count_pairs(const struct vis_work *work)
{
    struct progress *progress = work->env->progress;
    const struct pair_counts *counts = &work->counts;
    progress_count(progress, "sightlines", counts->lines);
    progress_count(progress, "clusters resolved by cluster flow", counts->by_cluster.clusters);
    progress_count(progress, "pairs culled by cluster flow", counts->by_cluster.culled);
    progress_count(progress, "cluster-flow steps", counts->cluster_flow.chains);
    progress_count(progress, "undecided pairs", counts->pairs);
    progress_count(progress, "pairs sent to portal flow", counts->sent_to_flow);
    progress_count(progress, "pairs culled", counts->culled);
    progress_count(progress, "pairs over budget", counts->over_budget);
    if (work->options->fast || work->options->resolve->budget > 0 || work->deadline > 0)
        progress_count(progress, "pairs left open", counts->left_open);
}

static void count_chains(const struct vis_work *work)
{
    struct progress *progress = work->env->progress;
    const struct flow_counts *flow = &work->counts.flow;
    progress_count(progress, "chains", flow->chains);
    progress_count(progress, "clips", flow->clips);
    progress_count(progress,
                   work->options->resolve->portal_flow ? "max chains per portal"
                                                       : "max chains per pair",
                   flow->worst);
}

static void count_visible(const struct vis_work *work)
{
    struct progress *progress = work->env->progress;
    int clusters = work->prt->cluster_count;
    int64_t pairs = clusters_pairs(&work->pvs, clusters);
    progress_count(progress, "clusters", clusters);
    progress_count(progress, "visible cluster pairs", pairs);
    progress_count(progress, "average clusters visible", clusters ? pairs / clusters : 0);
    if (clusters >= OPEN_MIN && (double)pairs > OPEN_SHARE * clusters * clusters)
        diag_report(work->env->diag, DIAG_VIS_OPEN, NULL,
                    "a cluster sees %.1f %% of all clusters on average",
                    100.0 * (double)pairs / clusters / clusters);
}

static void report_budget(const struct vis_work *work)
{
    int64_t left = work->counts.left_open;
    double pairs = (double)work->prt->cluster_count * work->prt->cluster_count / 2;
    if (!left || !vis_tells_of_open(work))
        return;
    if (work->deadline > 0)
        diag_report(work->env->diag, DIAG_VIS_BUDGET_TIME, NULL,
                    "%" PRId64 " pairs of clusters (%.2f %%) taken as visible after %g seconds",
                    left, 100 * (double)left / pairs, work->options->resolve->budget_seconds);
    else
        diag_report(work->env->diag, DIAG_VIS_BUDGET, NULL,
                    "%" PRId64 " pairs of clusters (%.2f %%) taken as visible after %.0f chains",
                    left, 100 * (double)left / pairs, work->options->resolve->budget);
}

/* Tells the progress. Warns of portals that were dropped, of a map in which nearly all is visible
 * (VIS_OPEN), and of what a budget has left open (VIS_BUDGET, _TIME). */
static void vis_report_counts(const struct vis_work *work)
{
    struct progress *progress = work->env->progress;
    progress_count(progress, "portals", work->portals);
    if (work->env->cache)
        progress_count(progress, "cached clusters", work->from_cache);
    if (!work->options->resolve->portal_flow)
        count_pairs(work);
    count_chains(work);
    count_visible(work);
    if (work->dropped)
        diag_report(work->env->diag, DIAG_VIS_PORTALS_DROPPED, NULL, "%d of %td portals",
                    work->dropped, arrlen(work->prt->portals));
    report_budget(work);
}

/* --- vvis --- */

const struct vvis_options vvis_defaults = {.resolve = &resolve_defaults};

struct job {
    struct vis_work work;
    const struct vis_target *target;
    struct vis_report *report; /* to be filled, or NULL */
    struct bsp *bsp;
    struct vis_kept kept;
};

/* ---- the steps ---- */

static enum status resolve(struct stage_run *run)
{
    struct job *job = run->work;
    return vis_resolve(&job->work);
}

static enum status encode(struct stage_run *run)
{
    struct job *job = run->work;
    const struct vis_work *work = &job->work;
    const struct vis_result result = {&work->pvs, work->prt->cluster_count, work->radius};
    const struct env alone = farm_alone(run->env);
    job->target->store(&alone, &result, job->bsp);
    return STATUS_OK;
}

static enum status report(struct stage_run *run)
{
    struct job *job = run->work;
    const struct vis_work *work = &job->work;
    const struct report_input input = {work->prt, job->bsp, &work->pvs,
                                       checkpoint_costs(work->checkpoint), work->radius};
    const struct env alone = farm_alone(run->env);
    vis_report_counts(work);
    if (job->report)
        report_make(&alone, &input, job->report);
    return STATUS_OK;
}

static const struct stage_step steps[] = {
    {.run = resolve},                              /* portals -> the PVS of each component */
    {.run = encode, .phase = "encode visibility"}, /* PVS -> rows of both sets, flags of leaves */
    {.run = report},
};

/* ---- before and after them ---- */

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

static enum status check(struct stage_run *run)
{
    struct job *job = run->work;
    struct vis_work *work = &job->work;
    const struct env *env = run->env;
    const struct vvis_options *options = work->options;
    TRY(check_clusters(env, work->prt, job->bsp));
    progress_size(env->progress, "clusters", work->prt->cluster_count);
    progress_size(env->progress, "portals", arrlen(work->prt->portals));
    if (options->resolve->portal_flow &&
        (options->resolve->budget > 0 || options->resolve->budget_seconds > 0)) {
        (void)diag_report(env->diag, DIAG_USAGE, NULL,
                          "--budget and --portalflow cannot be combined");
        return STATUS_USAGE;
    }
    TRY(vis_radius_of(env, options, job->bsp, &work->radius));
    TRY(vis_target_find(job->bsp, env->diag, &job->target));
    /* A run for a report needs what the cache does not have, and one of so many seconds repeats
     * none. */
    job->kept =
        (struct vis_kept){.target = job->target,
                          .options = options,
                          .prt = work->prt,
                          .radius = work->radius,
                          .is_wanted = !job->report && options->resolve->budget_seconds <= 0,
                          .bsp = job->bsp};
    return STATUS_OK;
}

static enum status begin(struct stage_run *run)
{
    struct job *job = run->work;
    if (farm_is_there(run->env))
        vis_farm_begin(&job->work, run);
    vis_work_begin(&job->work, run);
    return STATUS_OK;
}

static void end(struct stage_run *run)
{
    struct job *job = run->work;
    vis_work_end(&job->work);
}

const struct stage vvis_stage = {
    .name = "vvis",
    .options = vvis_option_group,
    .checkpoint = ".vischeckpoint",
    .checkpoint_kind = "vvis-checkpoint",
    .result = &vis_result_kept,
    .check = check,
    .begin = begin,
    .end = end,
    STAGE_STEPS(steps),
};

enum status vvis_run(const struct env *env, const struct vvis_options *options,
                     struct vvis_session *session, const struct prt *prt, struct bsp *bsp)
{
    struct job job = {
        .work = {.options = options, .prt = prt, .has_cache = env->cache != NULL},
        .report = session ? session->report : NULL,
        .bsp = bsp,
    };
    struct stage_run run = stage_run_of(&vvis_stage, env, session ? &session->stage : NULL, &job);
    run.result = &job.kept;
    return stage_do(&run);
}
