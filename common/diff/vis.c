/* Compares visibility: bit by bit when the clusters are the same, else between sample points. */
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/diff/diff_internal.h"

enum { FROM_POINTS = 2000, TO_POINTS = 64 };

struct rows {
    unsigned char *row[2];
    int clusters[2];
    bool audible;
};

/* Returns the first leaf of each cluster, or -1; in scratch. */
static int *leaf_of_clusters(struct comparison *c, int side)
{
    const struct bsp *bsp = c->bsp[side];
    int count = bsp_vis_clusters(bsp);
    int *leaves = ARENA_ARRAY(&c->scratch, int, (size_t)count + 1);
    for (int i = 0; i < count; i++)
        leaves[i] = -1;
    for (int i = (int)arrlen(bsp->leaves) - 1; i >= 0; i--)
        if (bsp->leaves[i].cluster >= 0 && bsp->leaves[i].cluster < count)
            leaves[bsp->leaves[i].cluster] = i;
    return leaves;
}

static const char *cluster_place(struct comparison *c, const int *leaves, int cluster)
{
    if (leaves[cluster] < 0)
        return "no leaf";
    const struct bsp_leaf *leaf = &c->bsp[0]->leaves[leaves[cluster]];
    return diff_point_text(c, vec3(((double)leaf->mins[0] + leaf->maxs[0]) / 2,
                                   ((double)leaf->mins[1] + leaf->maxs[1]) / 2,
                                   ((double)leaf->mins[2] + leaf->maxs[2]) / 2));
}

static void compare_row(struct comparison *c, const struct rows *rows, int from, const int *leaves,
                        size_t only[2])
{
    const char *verb = rows->audible ? "hears" : "sees";
    for (int i = 0; i < rows->clusters[0]; i++) {
        bool was = bsp_vis_bit(rows->row[0], i),
             is = bsp_vis_bit(rows->row[1], c->trees.clusters[i]);
        if (was == is)
            continue;
        only[is]++;
        if (diff_wants_example(c))
            DIFF_EXAMPLE(c, "only in %c: cluster %d near %s %s %d near %s", 'A' + is, from,
                         cluster_place(c, leaves, from), verb, i, cluster_place(c, leaves, i));
    }
}

static void compare_clusters(struct comparison *c, struct rows *rows)
{
    size_t only[2] = {0, 0};
    int *leaves = leaf_of_clusters(c, 0);
    for (int i = 0; i < rows->clusters[0]; i++) {
        bsp_vis_row(c->bsp[0], i, rows->audible, rows->row[0]);
        bsp_vis_row(c->bsp[1], c->trees.clusters[i], rows->audible, rows->row[1]);
        compare_row(c, rows, i, leaves, only);
    }
    diff_differ(c, "pairs_only_in_a", only[0]);
    diff_differ(c, "pairs_only_in_b", only[1]);
}

static int cluster_at(const struct comparison *c, int side, int sample)
{
    return c->bsp[side]->leaves[c->samples[sample].leaf[side]].cluster;
}

/* Returns the indices of the samples that lie in a cluster on both sides. */
static int *open_samples(struct comparison *c)
{
    int *open = NULL;
    diff_need_samples(c);
    for (int i = 0; i < arrlen(c->samples); i++)
        if (cluster_at(c, 0, i) >= 0 && cluster_at(c, 1, i) >= 0)
            arrput(open, i);
    return open;
}

static void compare_points(struct comparison *c, struct rows *rows)
{
    size_t only[2] = {0, 0}, pairs = 0;
    int *open = open_samples(c);
    for (int i = 0; i < arrlen(open) && i < FROM_POINTS; i++) {
        for (int side = 0; side < 2; side++)
            bsp_vis_row(c->bsp[side], cluster_at(c, side, open[i]), rows->audible, rows->row[side]);
        for (int k = 1; k <= TO_POINTS && k < arrlen(open); k++) {
            int to = open[(i + (ptrdiff_t)k * 31) % arrlen(open)];
            int a = cluster_at(c, 0, to), b = cluster_at(c, 1, to);
            if (a >= rows->clusters[0] || b >= rows->clusters[1])
                continue;
            bool was = bsp_vis_bit(rows->row[0], a), is = bsp_vis_bit(rows->row[1], b);
            pairs++;
            if (was == is)
                continue;
            only[is]++;
            DIFF_EXAMPLE(c, "only in %c: %s %s %s", 'A' + is,
                         diff_point_text(c, c->samples[open[i]].at),
                         rows->audible ? "hears" : "sees", diff_point_text(c, c->samples[to].at));
        }
    }
    arrfree(open);
    diff_figure(c, "point_pairs", (double)pairs);
    diff_differ(c, "point_pairs_only_in_a", only[0]);
    diff_differ(c, "point_pairs_only_in_b", only[1]);
}

static void compare_visibility(struct comparison *c, bool audible)
{
    struct rows rows = {.audible = audible};
    for (int side = 0; side < 2; side++) {
        rows.clusters[side] = bsp_vis_clusters(c->bsp[side]);
        rows.row[side] = memory_zalloc(((size_t)rows.clusters[side] + 7) / 8 + 1, 1);
    }
    int a = rows.clusters[0], b = rows.clusters[1];
    diff_count(c, (size_t)a, (size_t)b);
    diff_need_trees(c);
    if (!a != !b)
        diff_differ(c, a ? "only_in_a" : "only_in_b", 1);
    else if (a && a == b && c->trees.clusters && arrlen(c->trees.clusters) == a)
        compare_clusters(c, &rows);
    else if (a)
        compare_points(c, &rows);
    if (a && b && a != b)
        diff_differ(c, "different_cluster_count", 1);
    memory_free(rows.row[0]);
    memory_free(rows.row[1]);
}

void diff_pvs(struct comparison *c)
{
    compare_visibility(c, false);
}

void diff_pas(struct comparison *c)
{
    compare_visibility(c, true);
}
