#include "vvis/vvis.h"

#include "common/core/array.h"
#include "common/text/entities.h"
#include "vvis/base_vis.h"
#include "vvis/clusters.h"
#include "vvis/encode.h"
#include "vvis/pair_vis.h"
#include "vvis/portal_vis.h"
#include "vvis/water.h"

const struct vvis_options vvis_defaults = {0};

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

/* How far the map is drawn at most: the option, else what the first fog controller says. 0: all. */
static enum status find_radius(const struct env *env, const struct vvis_options *options,
                               const struct bsp *bsp, double *out)
{
    *out = options->radius_override;
    if (*out > 0 || !arrlen(bsp->entities))
        return STATUS_OK;
    struct entity_list list;
    TRY(entities_parse(bsp->entities, arrlenu(bsp->entities), "entity lump", env->diag, &list));
    for (size_t i = 0; i < arrlenu(list.entities); i++) {
        if (!entity_is(&list.entities[i], "env_fog_controller"))
            continue;
        *out = fmax(0, entity_number(&list.entities[i], "farz", 0));
        break;
    }
    entities_free(&list);
    return STATUS_OK;
}

static void mark_radial(struct bsp *bsp, bool radial)
{
    for (size_t i = 1; i < arrlenu(bsp->leaves); i++) {
        bsp->leaves[i].flags &= ~LEAF_RADIAL;
        if (radial && bsp->leaves[i].cluster >= 0)
            bsp->leaves[i].flags |= LEAF_RADIAL;
    }
}

static struct bit_rows pvs_by_portal(const struct env *env, const struct vvis_options *options,
                                     const struct portals *portals, struct bit_rows *rows)
{
    if (!options->fast) {
        struct flow_counts counts = portal_vis(env, portals, !options->no_sort, rows);
        progress_count(env->progress, "chains", counts.chains);
        progress_count(env->progress, "clips", counts.clips);
        progress_count(env->progress, "most chains of a portal", counts.worst);
    }
    struct bit_rows pvs = clusters_from_portals(env, portals, rows);
    clusters_symmetric(&pvs, portals->cluster_count);
    return pvs;
}

static struct bit_rows pvs_by_pair(const struct env *env, const struct vvis_options *options,
                                   const struct portals *portals, struct bit_rows *rows)
{
    struct pair_counts counts;
    struct bit_rows pvs = pair_vis(env, portals, !options->no_sort, rows, &counts);
    progress_count(env->progress, "lines", counts.lines);
    progress_count(env->progress, "pairs left by random lines", counts.pairs);
    progress_count(env->progress, "pairs left to the flow", counts.walked);
    progress_count(env->progress, "pairs refuted", counts.refuted);
    progress_count(env->progress, "pairs given up", counts.given_up);
    progress_count(env->progress, "chains", counts.flow.chains);
    progress_count(env->progress, "clips", counts.flow.clips);
    progress_count(env->progress, "most chains of a pair", counts.flow.worst);
    return pvs;
}

static struct bit_rows find_pvs(const struct env *env, const struct vvis_options *options,
                                const struct prt *prt, double radius)
{
    struct portals portals;
    portals_build(prt, &portals);
    if (portals.dropped)
        diag_report(env->diag, DIAG_VIS_PORTALS_DROPPED, NULL, "%d of %td portals", portals.dropped,
                    arrlen(prt->portals));
    progress_count(env->progress, "portals", portals.count / 2);
    struct bit_rows rows = base_vis(env, &portals, radius);
    struct bit_rows pvs = options->fast || options->portal_flow
                              ? pvs_by_portal(env, options, &portals, &rows)
                              : pvs_by_pair(env, options, &portals, &rows);
    memory_free(rows.data);
    portals_free(&portals);
    return pvs;
}

enum status vvis_run(const struct env *env, const struct vvis_options *options,
                     const struct prt *prt, struct bsp *bsp)
{
    TRY(check_clusters(env, prt, bsp));
    double radius;
    TRY(find_radius(env, options, bsp, &radius));
    int clusters = prt->cluster_count;
    struct bit_rows pvs = find_pvs(env, options, prt, radius);
    progress_begin(env->progress, "clusters", 0);
    struct bit_rows pas = clusters_audible(env, &pvs, clusters);
    bytes_free(&bsp->visibility);
    encode_visibility(&pvs, &pas, clusters, &bsp->visibility);
    water_mark(env, &pvs, clusters, bsp);
    mark_radial(bsp, radius > 0);
    progress_end(env->progress);
    progress_count(env->progress, "clusters", clusters);
    int64_t pairs = clusters_pairs(&pvs, clusters);
    progress_count(env->progress, "visible pairs of clusters", pairs);
    progress_count(env->progress, "average clusters visible", clusters ? pairs / clusters : 0);
    memory_free(pvs.data);
    memory_free(pas.data);
    return STATUS_OK;
}
