#include "vvis/report/report.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/parallel/parallel.h"
#include "vvis/basevis/base_vis.h"
#include "vvis/flow/flow.h"
#include "vvis/graph/clusters.h"

enum {
    ENTRIES_MAX = 12,
    CANDIDATES = 16,   /* clusters of a kind whose portals are looked at one by one */
    CHAINS_MAX = 4096, /* of one portal */
    CUT_CHAINS = 1024, /* of one portal of a cluster that is cut */
    GROUP_MIN = 4,     /* clusters that see the same */
};

#define ALL_SEEN   0.9   /* part of the map */
#define HINT_GAIN  0.15  /* the part of its sight that a half must lose on average */
#define HINT_SIZE  256.0 /* a cluster that is shorter is not worth cutting */
#define HINT_GRID  16.0
#define SAME_SIGHT 0.98

struct maker {
    const struct env *env;
    const struct report_input *input;
    struct portals portals;
    struct bit_rows rows; /* of portals: base visibility within the PVS */
    struct report_cluster *all;
    bool *chosen;        /* clusters to look at */
    struct flow **flows; /* one a thread */
    int *ways;           /* stb_ds array: portals to look at */
    struct report_portal *seen;
};

static void add_leaves(struct maker *maker)
{
    const struct bsp *bsp = maker->input->bsp;
    for (size_t i = 1; i < arrlenu(bsp->leaves); i++) {
        const struct bsp_leaf *leaf = &bsp->leaves[i];
        if (leaf->cluster < 0 || leaf->cluster >= maker->portals.cluster_count)
            continue;
        struct report_cluster *cluster = &maker->all[leaf->cluster];
        cluster->leaves++;
        bounds_add_point(&cluster->box, vec3(leaf->mins[0], leaf->mins[1], leaf->mins[2]));
        bounds_add_point(&cluster->box, vec3(leaf->maxs[0], leaf->maxs[1], leaf->maxs[2]));
    }
}

static void describe_clusters(struct maker *maker)
{
    const struct portals *portals = &maker->portals;
    const struct bit_rows *pvs = maker->input->pvs;
    for (int i = 0; i < portals->cluster_count; i++) {
        struct report_cluster cluster = {
            .cluster = i,
            .cost = maker->input->costs[i],
            .sees = (int)bit_count(bit_row(pvs, (size_t)i), pvs->words),
            .portals = portals->first[i + 1] - portals->first[i],
            .box = portals->reaches[i],
        };
        arrput(maker->all, cluster);
    }
    add_leaves(maker);
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

/* Clusters that a half does not see, in sum. */
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

static struct report_cluster *sorted(const struct maker *maker,
                                     int (*compare)(const void *, const void *))
{
    struct report_cluster *list = NULL;
    for (size_t i = 0; i < arrlenu(maker->all); i++)
        arrput(list, maker->all[i]);
    if (list)
        qsort(list, arrlenu(list), sizeof *list, compare);
    return list;
}

static void shorten(struct report_cluster *list)
{
    if (arrlenu(list) > ENTRIES_MAX)
        arrsetlen(list, ENTRIES_MAX);
}

/* A line through p and q visits what is on both sides of both. */
static void keep_within_pvs(void *context, size_t p, int thread)
{
    (void)thread;
    struct maker *maker = context;
    const int *to = maker->portals.to;
    uint64_t *row = bit_row(&maker->rows, p);
    const uint64_t *ahead = bit_row(maker->input->pvs, (size_t)to[p]);
    const uint64_t *behind = bit_row(maker->input->pvs, (size_t)to[p ^ 1]);
    for (size_t q = bit_next(row, maker->rows.words, 0); q != SIZE_MAX;
         q = bit_next(row, maker->rows.words, q + 1))
        for (size_t way = 0; way < 2; way++)
            if (!bit_get(ahead, (size_t)to[q ^ way]) || !bit_get(behind, (size_t)to[q ^ way]))
                bit_clear(row, q);
}

static void look_through(void *context, size_t index, int thread)
{
    struct maker *maker = context;
    const struct portals *portals = &maker->portals;
    int p = maker->ways[index];
    struct flow_counts before = {0}, after = {0};
    uint64_t *seen = memory_aligned(maker->rows.words, sizeof *seen);
    struct bit_rows clusters = bit_rows_new(1, (size_t)portals->cluster_count);
    flow_add_counts(maker->flows[thread], &before);
    flow_portal(maker->flows[thread], p, CHAINS_MAX, seen);
    flow_add_counts(maker->flows[thread], &after);
    bit_set(clusters.data, (size_t)portals->to[p]);
    for (size_t q = bit_next(seen, maker->rows.words, 0); q != SIZE_MAX;
         q = bit_next(seen, maker->rows.words, q + 1))
        bit_set(clusters.data, (size_t)portals->to[q]);
    maker->seen[index] = (struct report_portal){
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

/* The portals out of the costliest and the largest clusters. */
static void choose_ways(struct maker *maker)
{
    const struct portals *portals = &maker->portals;
    bool *chosen = maker->chosen;
    int (*const orders[])(const void *, const void *) = {by_cost, by_volume};
    for (int i = 0; i < 2; i++) {
        struct report_cluster *list = sorted(maker, orders[i]);
        for (size_t k = 0; k < CANDIDATES && k < arrlenu(list); k++)
            chosen[list[k].cluster] = true;
        arrfree(list);
    }
    for (int i = 0; i < portals->cluster_count; i++)
        for (int k = portals->first[i]; chosen[i] && k < portals->first[i + 1]; k++)
            arrput(maker->ways, portals->leaving[k]);
}

static void look_through_ways(struct maker *maker)
{
    const struct env *env = maker->env;
    maker->chosen = memory_zalloc((size_t)maker->portals.cluster_count, sizeof *maker->chosen);
    choose_ways(maker);
    size_t count = arrlenu(maker->ways);
    maker->rows = base_vis(env, &maker->portals, maker->input->radius);
    parallel_for(env->threads, (size_t)maker->portals.count, keep_within_pvs, maker);
    maker->seen = memory_zalloc(count, sizeof *maker->seen);
    maker->flows = memory_zalloc((size_t)env->threads, sizeof *maker->flows);
    for (int i = 0; i < env->threads; i++)
        maker->flows[i] = flow_new(&maker->portals, &maker->rows);
    parallel_for(env->threads, count, look_through, maker);
    for (int i = 0; i < env->threads; i++)
        flow_free(maker->flows[i]);
    memory_free(maker->flows);
}

static void list_ways(const struct maker *maker, struct vis_report *out)
{
    for (size_t i = 0; i < arrlenu(maker->ways); i++)
        arrput(out->ways, maker->seen[i]);
    if (out->ways)
        qsort(out->ways, arrlenu(out->ways), sizeof *out->ways, by_chains);
    if (arrlenu(out->ways) > ENTRIES_MAX)
        arrsetlen(out->ways, ENTRIES_MAX);
}

static void list_clusters(const struct maker *maker, struct vis_report *out)
{
    struct report_cluster *list = sorted(maker, by_cost);
    for (size_t i = 0; i < arrlenu(list) && list[i].cost; i++)
        arrput(out->costly, list[i]);
    arrfree(list);
    list = sorted(maker, by_sight);
    for (size_t i = 0; i < arrlenu(list) && list[i].sees >= ALL_SEEN * out->clusters; i++)
        arrput(out->all_seers, list[i]);
    arrfree(list);
    out->all_seer_count = (int)arrlen(out->all_seers);
    shorten(out->costly);
    shorten(out->all_seers);
}

/* The best cut across an axis through the middle of a cluster. */
static struct report_hint best_cut(const struct maker *maker, struct cutter *cutter, int number)
{
    struct report_hint best = {.cluster = maker->all[number]};
    const struct report_cluster *cluster = &best.cluster;
    best.cut.sees[0] = best.cut.sees[1] = cluster->sees;
    for (int axis = 0; axis < 3; axis++) {
        double low = cluster->box.mins.e[axis], high = cluster->box.maxs.e[axis];
        struct report_hint hint = {
            .cluster = *cluster,
            .cut = {.axis = axis, .at = rint((low + high) / 2 / HINT_GRID) * HINT_GRID}};
        if (high - low > HINT_SIZE &&
            cutter_try(cutter, number, &cluster->box, CUT_CHAINS, &hint.cut) &&
            gain_of(&hint) > gain_of(&best))
            best = hint;
    }
    return best;
}

static void list_hints(const struct maker *maker, struct vis_report *out)
{
    struct cutter *cutter = cutter_new(&maker->portals, &maker->rows);
    for (int i = 0; i < out->clusters; i++) {
        if (!maker->chosen[i])
            continue;
        struct report_hint hint = best_cut(maker, cutter, i);
        if (gain_of(&hint) > 0 && gain_of(&hint) >= HINT_GAIN * 2 * hint.cluster.sees)
            arrput(out->hints, hint);
    }
    cutter_free(cutter);
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

/* Grown from its least cluster, whose sight all others share: a chain of small differences would
 * lead from one end of a map to the other. */
static struct report_group grow_group(const struct maker *maker, int first, bool *taken)
{
    const struct portals *portals = &maker->portals;
    struct report_group group = {.sees = maker->all[first].sees, .box = bounds_empty()};
    arrput(group.clusters, first);
    taken[first] = true;
    for (size_t i = 0; i < arrlenu(group.clusters); i++) {
        int cluster = group.clusters[i];
        bounds_add(&group.box, &maker->all[cluster].box);
        for (int k = portals->first[cluster]; k < portals->first[cluster + 1]; k++) {
            int next = portals->to[portals->leaving[k]];
            if (taken[next] || !see_the_same(maker->input->pvs, first, next))
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

static void list_groups(const struct maker *maker, struct vis_report *out)
{
    bool *taken = memory_zalloc((size_t)out->clusters, sizeof *taken);
    for (int i = 0; i < out->clusters; i++) {
        if (taken[i])
            continue;
        struct report_group group = grow_group(maker, i, taken);
        qsort(group.clusters, arrlenu(group.clusters), sizeof *group.clusters, by_number);
        if (arrlenu(group.clusters) >= GROUP_MIN)
            arrput(out->details, group);
        else
            arrfree(group.clusters);
    }
    memory_free(taken);
    if (out->details)
        qsort(out->details, arrlenu(out->details), sizeof *out->details, by_size);
    while (arrlenu(out->details) > ENTRIES_MAX) {
        struct report_group last = arrpop(out->details);
        arrfree(last.clusters);
    }
}

void report_make(const struct env *env, const struct report_input *input, struct vis_report *out)
{
    struct env quiet = *env;
    quiet.progress = NULL;
    struct maker maker = {.env = &quiet, .input = input};
    progress_begin(env->progress, "report", 0);
    portals_build(input->prt, &maker.portals);
    *out = (struct vis_report){.clusters = input->prt->cluster_count,
                               .portals = maker.portals.count / 2};
    double pairs = (double)clusters_pairs(input->pvs, out->clusters);
    out->seen = out->clusters ? pairs / out->clusters / out->clusters : 0;
    describe_clusters(&maker);
    look_through_ways(&maker);
    list_ways(&maker, out);
    list_clusters(&maker, out);
    list_hints(&maker, out);
    list_groups(&maker, out);
    arrfree(maker.all);
    arrfree(maker.ways);
    memory_free(maker.seen);
    memory_free(maker.rows.data);
    memory_free(maker.chosen);
    portals_free(&maker.portals);
    progress_end(env->progress);
}

void report_free(struct vis_report *report)
{
    for (size_t i = 0; i < arrlenu(report->details); i++)
        arrfree(report->details[i].clusters);
    arrfree(report->costly);
    arrfree(report->ways);
    arrfree(report->all_seers);
    arrfree(report->hints);
    arrfree(report->details);
    *report = (struct vis_report){0};
}
