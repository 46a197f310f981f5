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

/* The least cluster of a part is its root. */
static int *join(const struct prt *prt)
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

static bool *find_joined(const struct prt *prt)
{
    bool *joined = memory_zalloc((size_t)prt->cluster_count, sizeof *joined);
    for (size_t i = 0; i < arrlenu(prt->portals); i++)
        joined[prt->portals[i].clusters[0]] = joined[prt->portals[i].clusters[1]] = true;
    return joined;
}

/* part_of: by root; local: a cluster's number in its part. */
static struct vis_part *number(const struct prt *prt, int *parents, int *part_of, int *local)
{
    struct vis_part *parts = NULL;
    bool *joined = find_joined(prt);
    for (int i = 0; i < prt->cluster_count; i++) {
        int root = root_of(parents, i);
        if (!joined[i])
            continue;
        if (root == i) {
            part_of[i] = (int)arrlen(parts);
            arrput(parts, ((struct vis_part){0}));
        }
        struct vis_part *part = &parts[part_of[root]];
        local[i] = part->prt.cluster_count++;
        arrput(part->clusters, i);
    }
    memory_free(joined);
    return parts;
}

struct vis_part *parts_split(const struct prt *prt)
{
    size_t count = (size_t)prt->cluster_count;
    int *parents = join(prt);
    int *part_of = memory_zalloc(count, sizeof *part_of);
    int *local = memory_zalloc(count, sizeof *local);
    struct vis_part *parts = number(prt, parents, part_of, local);
    for (size_t i = 0; i < arrlenu(prt->portals); i++) {
        struct prt_portal portal = prt->portals[i];
        struct vis_part *part = &parts[part_of[root_of(parents, portal.clusters[0])]];
        for (int side = 0; side < 2; side++)
            portal.clusters[side] = local[portal.clusters[side]];
        arrput(part->prt.portals, portal);
    }
    memory_free(parents);
    memory_free(part_of);
    memory_free(local);
    return parts;
}

void parts_free(struct vis_part *parts)
{
    for (size_t i = 0; i < arrlenu(parts); i++) {
        arrfree(parts[i].prt.portals);
        arrfree(parts[i].clusters);
    }
    arrfree(parts);
}
