#include "vvis/counts.h"

#include <inttypes.h>

#include "common/core/array.h"
#include "common/diag/codes/clusters.def"
#include "common/diag/codes/visibility.def"
#include "vvis/graph/clusters.h"
#include "vvis/vvis.h"

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
    if (work->options->fast || work->options->budget > 0 || work->deadline > 0)
        progress_count(progress, "pairs left open", counts->left_open);
}

static void count_chains(const struct vis_work *work)
{
    struct progress *progress = work->env->progress;
    const struct flow_counts *flow = &work->counts.flow;
    progress_count(progress, "chains", flow->chains);
    progress_count(progress, "clips", flow->clips);
    progress_count(progress,
                   work->options->portal_flow ? "max chains per portal" : "max chains per pair",
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
                    left, 100 * (double)left / pairs, work->options->budget_seconds);
    else
        diag_report(work->env->diag, DIAG_VIS_BUDGET, NULL,
                    "%" PRId64 " pairs of clusters (%.2f %%) taken as visible after %.0f chains",
                    left, 100 * (double)left / pairs, work->options->budget);
}

void vis_report_counts(const struct vis_work *work)
{
    struct progress *progress = work->env->progress;
    progress_count(progress, "portals", work->portals);
    if (work->env->cache)
        progress_count(progress, "cached clusters", work->from_cache);
    if (!work->options->portal_flow)
        count_pairs(work);
    count_chains(work);
    count_visible(work);
    if (work->dropped)
        diag_report(work->env->diag, DIAG_VIS_PORTALS_DROPPED, NULL, "%d of %td portals",
                    work->dropped, arrlen(work->prt->portals));
    report_budget(work);
}
