#include "vvis/report/report.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/parallel/parallel.h"
#include "vvis/basevis/base_vis.h"
#include "vvis/flow/flow.h"
#include "vvis/graph/clusters.h"

enum {
    ENTRIES_MAX = 12,
    CANDIDATES = 16,   /* clusters per ranking whose portals are measured */
    CHAINS_MAX = 4096, /* per portal */
    CUT_CHAINS = 1024, /* per portal of a cluster that is cut */
    GROUP_MIN = 4,     /* clusters with the same PVS */
};

#define ALL_SEEN   0.9   /* fraction of the map */
#define HINT_GAIN  0.15  /* fraction of its PVS that a half must lose on average */
#define HINT_SIZE  256.0 /* shorter clusters are not worth cutting */
#define HINT_GRID  16.0
#define SAME_SIGHT 0.98

struct report_builder {
    const struct env *env;
    const struct report_input *input;
    struct portals portals;
    struct bit_rows rows; /* of portals: base visibility within the PVS */
    struct report_cluster *all;
    bool *chosen;        /* clusters to examine */
    struct flow **flows; /* one per thread */
    int *chosen_portals; /* stb_ds array: portals to measure */
    struct report_portal *seen;
};

static void add_leaves(struct report_builder *builder)
{
    const struct bsp *bsp = builder->input->bsp;
    for (size_t i = 1; i < arrlenu(bsp->leaves); i++) {
        const struct bsp_leaf *leaf = &bsp->leaves[i];
        if (leaf->cluster < 0 || leaf->cluster >= builder->portals.cluster_count)
            continue;
        struct report_cluster *cluster = &builder->all[leaf->cluster];
        cluster->leaves++;
        if (!bsp_leaf_has_box(leaf))
            continue;
        bounds_add_point(&cluster->box, vec3(leaf->mins[0], leaf->mins[1], leaf->mins[2]));
        bounds_add_point(&cluster->box, vec3(leaf->maxs[0], leaf->maxs[1], leaf->maxs[2]));
    }
}

static void describe_clusters(struct report_builder *builder)
{
    const struct portals *portals = &builder->portals;
    const struct bit_rows *pvs = builder->input->pvs;
    for (int i = 0; i < portals->cluster_count; i++) {
        struct report_cluster cluster = {
            .cluster = i,
            .cost = builder->input->costs[i],
            .sees = (int)bit_count(bit_row(pvs, (size_t)i), pvs->words),
            .portals = portals->first[i + 1] - portals->first[i],
            .box = portals->cluster_bounds[i],
        };
        arrput(builder->all, cluster);
    }
    add_leaves(builder);
}

static int by_cost(const void *a, const void *b)
{
    const struct report_cluster *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? 1 : -1;
    return x->cluster - y->cluster;
}

static int by_sight(const void *a, const void *b)
{
    const struct report_cluster *x = a, *y = b;
    return x->sees != y->sees ? y->sees - x->sees : x->cluster - y->cluster;
}

static double volume_of(const struct bounds *box)
{
    struct vec3 size = vec3_sub(box->maxs, box->mins);
    return size.x * size.y * size.z;
}

static int by_volume(const void *a, const void *b)
{
    const struct report_cluster *x = a, *y = b;
    double left = volume_of(&x->box), right = volume_of(&y->box);
    return left != right ? (left < right ? 1 : -1) : x->cluster - y->cluster;
}

/* Returns the number of clusters that the halves no longer see, added up. */
static int gain_of(const struct report_hint *hint)
{
    return 2 * hint->cluster.sees - hint->cut.sees[0] - hint->cut.sees[1];
}

static int by_gain(const void *a, const void *b)
{
    const struct report_hint *x = a, *y = b;
    int left = gain_of(x), right = gain_of(y);
    return left != right ? right - left : x->cluster.cluster - y->cluster.cluster;
}

static int by_chains(const void *a, const void *b)
{
    const struct report_portal *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? 1 : -1;
    if (x->sees != y->sees)
        return y->sees - x->sees;
    return x->from != y->from ? x->from - y->from : x->to - y->to;
}

static struct report_cluster *sorted(const struct report_builder *builder,
                                     int (*compare)(const void *, const void *))
{
    struct report_cluster *list = NULL;
    for (size_t i = 0; i < arrlenu(builder->all); i++)
        arrput(list, builder->all[i]);
    if (list)
        qsort(list, arrlenu(list), sizeof *list, compare);
    return list;
}

static void shorten(struct report_cluster *list)
{
    if (arrlenu(list) > ENTRIES_MAX)
        arrsetlen(list, ENTRIES_MAX);
}

/* A line through p and q visits the clusters on both sides of both. */
static void keep_within_pvs(void *context, size_t p, int thread)
{
    (void)thread;
    struct report_builder *builder = context;
    const int *to = builder->portals.to;
    uint64_t *row = bit_row(&builder->rows, p);
    const uint64_t *ahead = bit_row(builder->input->pvs, (size_t)to[p]);
    const uint64_t *behind = bit_row(builder->input->pvs, (size_t)to[p ^ 1]);
    for (size_t q = bit_next(row, builder->rows.words, 0); q != SIZE_MAX;
         q = bit_next(row, builder->rows.words, q + 1))
        for (size_t direction = 0; direction < 2; direction++)
            if (!bit_get(ahead, (size_t)to[q ^ direction]) ||
                !bit_get(behind, (size_t)to[q ^ direction]))
                bit_clear(row, q);
}

static void measure_portal(void *context, size_t index, int thread)
{
    struct report_builder *builder = context;
    const struct portals *portals = &builder->portals;
    int p = builder->chosen_portals[index];
    struct flow_counts before = {0}, after = {0};
    uint64_t *seen = memory_aligned(builder->rows.words, sizeof *seen);
    struct bit_rows clusters = bit_rows_new(1, (size_t)portals->cluster_count);
    flow_add_counts(builder->flows[thread], &before);
    flow_portal(builder->flows[thread], p, CHAINS_MAX, seen);
    flow_add_counts(builder->flows[thread], &after);
    bit_set(clusters.data, (size_t)portals->to[p]);
    for (size_t q = bit_next(seen, builder->rows.words, 0); q != SIZE_MAX;
         q = bit_next(seen, builder->rows.words, q + 1))
        bit_set(clusters.data, (size_t)portals->to[q]);
    builder->seen[index] = (struct report_portal){
        .from = portals->to[p ^ 1],
        .to = portals->to[p],
        .cost = after.chains - before.chains,
        .more = after.chains - before.chains >= CHAINS_MAX,
        .sees = (int)bit_count(clusters.data, clusters.words),
        .center = portals->boxes[p / 2].center,
        .size = vec3_scale(portals->boxes[p / 2].half, 2),
    };
    memory_free(seen);
    memory_free(clusters.data);
}

/* Chooses the portals of the most expensive and the largest clusters. */
static void choose_portals(struct report_builder *builder)
{
    const struct portals *portals = &builder->portals;
    bool *chosen = builder->chosen;
    int (*const orders[])(const void *, const void *) = {by_cost, by_volume};
    for (int i = 0; i < 2; i++) {
        struct report_cluster *list = sorted(builder, orders[i]);
        for (size_t k = 0; k < CANDIDATES && k < arrlenu(list); k++)
            chosen[list[k].cluster] = true;
        arrfree(list);
    }
    for (int i = 0; i < portals->cluster_count; i++)
        for (int k = portals->first[i]; chosen[i] && k < portals->first[i + 1]; k++)
            arrput(builder->chosen_portals, portals->leaving[k]);
}

static void measure_portals(struct report_builder *builder)
{
    const struct env *env = builder->env;
    builder->chosen =
        memory_zalloc((size_t)builder->portals.cluster_count, sizeof *builder->chosen);
    choose_portals(builder);
    size_t count = arrlenu(builder->chosen_portals);
    builder->rows = base_vis(env, &builder->portals, builder->input->radius);
    parallel_for(env->threads, (size_t)builder->portals.count, keep_within_pvs, builder);
    builder->seen = memory_zalloc(count, sizeof *builder->seen);
    builder->flows = memory_zalloc((size_t)env->threads, sizeof *builder->flows);
    for (int i = 0; i < env->threads; i++)
        builder->flows[i] = flow_new(&builder->portals, &builder->rows);
    parallel_for(env->threads, count, measure_portal, builder);
    for (int i = 0; i < env->threads; i++)
        flow_free(builder->flows[i]);
    memory_free(builder->flows);
}

static void list_portals(const struct report_builder *builder, struct vis_report *out)
{
    for (size_t i = 0; i < arrlenu(builder->chosen_portals); i++)
        arrput(out->costly_portals, builder->seen[i]);
    if (out->costly_portals)
        qsort(out->costly_portals, arrlenu(out->costly_portals), sizeof *out->costly_portals,
              by_chains);
    if (arrlenu(out->costly_portals) > ENTRIES_MAX)
        arrsetlen(out->costly_portals, ENTRIES_MAX);
}

static void list_clusters(const struct report_builder *builder, struct vis_report *out)
{
    struct report_cluster *list = sorted(builder, by_cost);
    for (size_t i = 0; i < arrlenu(list) && list[i].cost; i++)
        arrput(out->costly_clusters, list[i]);
    arrfree(list);
    list = sorted(builder, by_sight);
    for (size_t i = 0; i < arrlenu(list) && list[i].sees >= ALL_SEEN * out->clusters; i++)
        arrput(out->see_nearly_all, list[i]);
    arrfree(list);
    out->see_nearly_all_count = (int)arrlen(out->see_nearly_all);
    shorten(out->costly_clusters);
    shorten(out->see_nearly_all);
}

/* Finds the best axial cut through the middle of a cluster. */
static struct report_hint best_cut(const struct report_builder *builder,
                                   struct hint_candidates *candidates, int number)
{
    struct report_hint best = {.cluster = builder->all[number]};
    const struct report_cluster *cluster = &best.cluster;
    best.cut.sees[0] = best.cut.sees[1] = cluster->sees;
    for (int axis = 0; axis < 3; axis++) {
        double low = cluster->box.mins.e[axis], high = cluster->box.maxs.e[axis];
        struct report_hint hint = {
            .cluster = *cluster,
            .cut = {.axis = axis, .at = rint((low + high) / 2 / HINT_GRID) * HINT_GRID}};
        if (high - low > HINT_SIZE &&
            hint_candidates_try(candidates, number, &cluster->box, CUT_CHAINS, &hint.cut) &&
            gain_of(&hint) > gain_of(&best))
            best = hint;
    }
    return best;
}

static void list_hints(const struct report_builder *builder, struct vis_report *out)
{
    struct hint_candidates *candidates = hint_candidates_new(&builder->portals, &builder->rows);
    for (int i = 0; i < out->clusters; i++) {
        if (!builder->chosen[i])
            continue;
        struct report_hint hint = best_cut(builder, candidates, i);
        if (gain_of(&hint) > 0 && gain_of(&hint) >= HINT_GAIN * 2 * hint.cluster.sees)
            arrput(out->hints, hint);
    }
    hint_candidates_free(candidates);
    if (out->hints)
        qsort(out->hints, arrlenu(out->hints), sizeof *out->hints, by_gain);
    if (arrlenu(out->hints) > ENTRIES_MAX)
        arrsetlen(out->hints, ENTRIES_MAX);
}

static bool see_the_same(const struct bit_rows *pvs, int a, int b)
{
    const uint64_t *left = bit_row(pvs, (size_t)a), *right = bit_row(pvs, (size_t)b);
    int both = 0, either = 0;
    for (size_t k = 0; k < pvs->words; k++) {
        both += __builtin_popcountll(left[k] & right[k]);
        either += __builtin_popcountll(left[k] | right[k]);
    }
    return both >= SAME_SIGHT * either;
}

/* Grows a group from its lowest cluster, whose PVS all others share: a chain of small
 * differences would lead from one end of a map to the other. */
static struct report_group grow_group(const struct report_builder *builder, int first, bool *taken)
{
    const struct portals *portals = &builder->portals;
    struct report_group group = {.sees = builder->all[first].sees, .box = bounds_empty()};
    arrput(group.clusters, first);
    taken[first] = true;
    for (size_t i = 0; i < arrlenu(group.clusters); i++) {
        int cluster = group.clusters[i];
        bounds_add(&group.box, &builder->all[cluster].box);
        for (int k = portals->first[cluster]; k < portals->first[cluster + 1]; k++) {
            int next = portals->to[portals->leaving[k]];
            if (taken[next] || !see_the_same(builder->input->pvs, first, next))
                continue;
            taken[next] = true;
            arrput(group.clusters, next);
        }
    }
    return group;
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int by_size(const void *a, const void *b)
{
    const struct report_group *x = a, *y = b;
    ptrdiff_t left = arrlen(x->clusters), right = arrlen(y->clusters);
    return left != right ? (left < right ? 1 : -1) : x->clusters[0] - y->clusters[0];
}

static void list_groups(const struct report_builder *builder, struct vis_report *out)
{
    bool *taken = memory_zalloc((size_t)out->clusters, sizeof *taken);
    for (int i = 0; i < out->clusters; i++) {
        if (taken[i])
            continue;
        struct report_group group = grow_group(builder, i, taken);
        qsort(group.clusters, arrlenu(group.clusters), sizeof *group.clusters, by_number);
        if (arrlenu(group.clusters) >= GROUP_MIN)
            arrput(out->detail_groups, group);
        else
            arrfree(group.clusters);
    }
    memory_free(taken);
    if (out->detail_groups)
        qsort(out->detail_groups, arrlenu(out->detail_groups), sizeof *out->detail_groups, by_size);
    while (arrlenu(out->detail_groups) > ENTRIES_MAX) {
        struct report_group last = arrpop(out->detail_groups);
        arrfree(last.clusters);
    }
}

void report_make(const struct env *env, const struct report_input *input, struct vis_report *out)
{
    struct env quiet = *env;
    quiet.progress = NULL;
    struct report_builder builder = {.env = &quiet, .input = input};
    progress_begin(env->progress, "report", 0);
    portals_build(input->prt, &builder.portals);
    *out = (struct vis_report){.clusters = input->prt->cluster_count,
                               .portals = builder.portals.count / 2};
    double pairs = (double)clusters_pairs(input->pvs, out->clusters);
    out->seen = out->clusters ? pairs / out->clusters / out->clusters : 0;
    describe_clusters(&builder);
    measure_portals(&builder);
    list_portals(&builder, out);
    list_clusters(&builder, out);
    list_hints(&builder, out);
    list_groups(&builder, out);
    arrfree(builder.all);
    arrfree(builder.chosen_portals);
    memory_free(builder.seen);
    memory_free(builder.rows.data);
    memory_free(builder.chosen);
    portals_free(&builder.portals);
    progress_end(env->progress);
}

void report_free(struct vis_report *report)
{
    for (size_t i = 0; i < arrlenu(report->detail_groups); i++)
        arrfree(report->detail_groups[i].clusters);
    arrfree(report->costly_clusters);
    arrfree(report->costly_portals);
    arrfree(report->see_nearly_all);
    arrfree(report->hints);
    arrfree(report->detail_groups);
    *report = (struct vis_report){0};
}
