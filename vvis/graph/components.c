#include "vvis/graph/components.h"

#include "common/core/array.h"

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

struct vis_component *components_find(const struct prt *prt)
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

void components_free(struct vis_component *components)
{
    for (size_t i = 0; i < arrlenu(components); i++) {
        arrfree(components[i].prt.portals);
        arrfree(components[i].clusters);
    }
    arrfree(components);
}
