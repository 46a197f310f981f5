#include "vvis/resolve.h"

#include "common/bsp/sidecar/prt.h"
#include "common/core/array.h"
#include "common/core/clock.h"
#include "common/parallel/parallel.h"
#include "vvis/basevis/base_vis.h"
#include "vvis/flow/portal_vis.h"
#include "vvis/graph/clusters.h"
#include "vvis/resolve_options.h"
#include "vvis/resume/component_cache.h"
#include "vvis/vvis.h"

bool vis_tells_of_open(const struct vis_work *work)
{
    return !work->options->fast || work->deadline > 0;
}

/* Connected components of the portal graph, such as sealed rooms or the 3D skybox. No component
 * sees another, so each is computed by itself. */

/* Portals and clusters keep the order of the map; clusters are numbered from 0. A component does
 * not change when something is built elsewhere in the map. */
struct vis_component {
    struct prt prt; /* the windings are borrowed */
    int *clusters;  /* stb_ds array: their numbers in the map */
};

static int root_of(int *parents, int cluster)
{
    while (parents[cluster] != cluster) {
        parents[cluster] = parents[parents[cluster]];
        cluster = parents[cluster];
    }
    return cluster;
}

/* The root of a component is its lowest cluster. */
static int *join_clusters(const struct prt *prt)
{
    int *parents = memory_zalloc((size_t)prt->cluster_count, sizeof *parents);
    for (int i = 0; i < prt->cluster_count; i++)
        parents[i] = i;
    for (size_t i = 0; i < arrlenu(prt->portals); i++) {
        int a = root_of(parents, prt->portals[i].clusters[0]);
        int b = root_of(parents, prt->portals[i].clusters[1]);
        parents[a > b ? a : b] = a < b ? a : b;
    }
    return parents;
}

static bool *find_clusters_with_portals(const struct prt *prt)
{
    bool *joined = memory_zalloc((size_t)prt->cluster_count, sizeof *joined);
    for (size_t i = 0; i < arrlenu(prt->portals); i++)
        joined[prt->portals[i].clusters[0]] = joined[prt->portals[i].clusters[1]] = true;
    return joined;
}

/* component_of: per root; local: a cluster's number in its component. */
static struct vis_component *number_components(const struct prt *prt, int *parents,
                                               int *component_of, int *local)
{
    struct vis_component *components = NULL;
    bool *joined = find_clusters_with_portals(prt);
    for (int i = 0; i < prt->cluster_count; i++) {
        int root = root_of(parents, i);
        if (!joined[i])
            continue;
        if (root == i) {
            component_of[i] = (int)arrlen(components);
            arrput(components, ((struct vis_component){0}));
        }
        struct vis_component *component = &components[component_of[root]];
        local[i] = component->prt.cluster_count++;
        arrput(component->clusters, i);
    }
    memory_free(joined);
    return components;
}

/* Returns the components in the order of their first clusters, as an stb_ds array. A cluster
 * without portals is in none. The prt must outlive them. */
static struct vis_component *components_find(const struct prt *prt)
{
    size_t count = (size_t)prt->cluster_count;
    int *parents = join_clusters(prt);
    int *component_of = memory_zalloc(count, sizeof *component_of);
    int *local = memory_zalloc(count, sizeof *local);
    struct vis_component *components = number_components(prt, parents, component_of, local);
    for (size_t i = 0; i < arrlenu(prt->portals); i++) {
        struct prt_portal portal = prt->portals[i];
        struct vis_component *component =
            &components[component_of[root_of(parents, portal.clusters[0])]];
        for (int side = 0; side < 2; side++)
            portal.clusters[side] = local[portal.clusters[side]];
        arrput(component->prt.portals, portal);
    }
    memory_free(parents);
    memory_free(component_of);
    memory_free(local);
    return components;
}

static void components_free(struct vis_component *components)
{
    for (size_t i = 0; i < arrlenu(components); i++) {
        arrfree(components[i].prt.portals);
        arrfree(components[i].clusters);
    }
    arrfree(components);
}

/* --- resolve --- */

const struct resolve_options resolve_defaults = {0};

enum { CHUNK = 64 }; /* clusters per work item: one is too little */

/* Chains of the whole map with -fast: all of a map of rooms, and the near pairs of an open one. */
#define FAST_CHAINS 600000.0

/* Components with less than this fraction (1 / N) of the map's portals show no progress. */
enum { SMALL_COMPONENT = 8 };

/* Chains that the map may take; 0: no limit. */
static double chain_limit(const struct vvis_options *options)
{
    const bool is_lower = options->resolve->budget > 0 && options->resolve->budget < FAST_CHAINS;
    return options->fast && !is_lower ? FAST_CHAINS : options->resolve->budget;
}

/* A component has a share of the chains, which depends on the portals of the map. */
static struct cache_key_source source_of(const struct vis_work *work, const struct prt *component)
{
    const bool is_limited = chain_limit(work->options) > 0;
    return (struct cache_key_source){component, work->options, work->radius,
                                     is_limited ? arrlenu(work->prt->portals) : 0};
}

static struct bit_rows pvs_by_portal(const struct env *env, struct vis_work *work,
                                     const struct portals *portals, struct bit_rows *rows)
{
    struct flow_counts counts =
        portal_vis(env, portals, work->checkpoint, !work->options->resolve->no_sort, rows);
    flow_counts_add(&work->counts.flow, &counts);
    struct bit_rows pvs = clusters_from_portals(env, portals, rows);
    clusters_make_symmetric(&pvs, portals->cluster_count);
    return pvs;
}

/* The component's share of the budgets. The deadline is that of the map. */
static struct effort effort_for(const struct vis_work *work, const struct portals *portals)
{
    double share = (double)portals->count / 2 / (double)(arrlenu(work->prt->portals) + 1);
    struct effort effort = {.deadline = work->deadline};
    const double limit = chain_limit(work->options);
    if (limit > 0)
        effort.chains = 1 + (int64_t)(limit * share);
    return effort;
}

static struct bit_rows pvs_by_pair(const struct env *env, struct vis_work *work,
                                   const struct portals *portals)
{
    struct pair_counts counts;
    struct bit_rows pvs =
        pair_vis(env, portals, work->radius, work->checkpoint, !work->options->resolve->no_sort,
                 effort_for(work, portals), &counts);
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
    if (!work->options->resolve->portal_flow)
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

/* True when nothing has been left open that another run is to be told of. */
static bool is_whole(const struct vis_work *work, int64_t left_open)
{
    const bool is_told = work->counts.left_open != left_open && vis_tells_of_open(work);
    return !checkpoint_stopped(work->checkpoint) && !is_told;
}

/* The PVS, from the cache or by the portals. */
static struct bit_rows pvs_of(const struct env *env, struct vis_work *work,
                              const struct vis_component *component, const struct portals *portals)
{
    const struct kept_component kept = {.env = env,
                                        .is_wanted = work->has_cache && !(work->deadline > 0),
                                        .source = source_of(work, &component->prt),
                                        .checkpoint = work->checkpoint,
                                        .clusters = component->clusters};
    const int64_t left_open = work->counts.left_open;
    struct bit_rows pvs;
    if (component_take(&kept, &pvs)) {
        work->from_cache += component->prt.cluster_count;
        return pvs;
    }
    pvs = find_pvs(env, work, portals);
    if (is_whole(work, left_open))
        component_keep(&kept, &pvs);
    return pvs;
}

static void resolve_component(struct vis_work *work, size_t index,
                              const struct vis_component *component)
{
    struct env env = *work->env;
    if (arrlenu(component->prt.portals) * SMALL_COMPONENT < arrlenu(work->prt->portals))
        env.progress = NULL;
    struct portals portals;
    portals_build_parallel(env.threads, &component->prt, &portals);
    work->portals += portals.count / 2;
    work->dropped += portals.dropped;
    checkpoint_set_component(work->checkpoint, index, component->clusters);
    struct bit_rows pvs = pvs_of(&env, work, component, &portals);
    if (!checkpoint_stopped(work->checkpoint) && ranks_rank(env.ranks) == 0)
        scatter_rows(work, component, &pvs);
    portals_free(&portals);
    memory_free(pvs.data);
}

enum status vis_resolve(struct vis_work *work)
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
    farm_count(work->env);
    return checkpoint_stopped(work->checkpoint) ? STATUS_FAILED : STATUS_OK;
}

void vis_work_begin(struct vis_work *work, const struct stage_run *run)
{
    const struct cache_key_source source = {work->prt, work->options, work->radius, 0};
    const size_t clusters = (size_t)work->prt->cluster_count;
    work->env = run->env;
    if (work->options->resolve->budget_seconds > 0)
        work->deadline = clock_seconds(CLOCK_MONOTONIC) + work->options->resolve->budget_seconds;
    work->pvs = bit_rows_new_parallel(work->env->threads, clusters, clusters);
    work->checkpoint = checkpoint_new(run, &source, &work->pvs);
}

void vis_work_end(struct vis_work *work)
{
    checkpoint_free(work->checkpoint);
    memory_free(work->pvs.data);
}
