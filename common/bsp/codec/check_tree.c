/* Checks the tree of nodes, which is the same in all formats. */
#include "common/bsp/codec/check_internal.h"
#include "common/bsp/codec/codec.h"
#include "common/bsp/query.h"
#include "common/diag/codes/bsp_records.def"

enum { DEPTH_MAX = 16384 /* real trees stay below 100; some code recurses */ };

struct tree_step {
    int node, depth;
};

static const char *walk_tree(const struct bsp *bsp, const unsigned char *parents)
{
    struct tree_step *stack = NULL;
    size_t reached = 0;
    const char *fault = NULL;
    for (int i = 0; i < arrlen(bsp->nodes); i++)
        if (!parents[i])
            arrput(stack, ((struct tree_step){i, 1}));
    while (arrlen(stack) && !fault) {
        struct tree_step step = arrpop(stack);
        reached++;
        if (step.depth > DEPTH_MAX)
            fault = "tree too deep";
        for (int k = 0; k < 2; k++) {
            int child = bsp->nodes[step.node].children[k];
            if (child >= 0)
                arrput(stack, ((struct tree_step){child, step.depth + 1}));
        }
    }
    if (!fault && reached < arrlenu(bsp->nodes))
        fault = "circular nodes";
    arrfree(stack);
    return fault;
}

void check_tree(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    unsigned char *parents = memory_zalloc(arrlenu(bsp->nodes), 1);
    const char *fault = NULL;
    for (size_t i = 0; i < arrlenu(bsp->nodes); i++)
        for (int k = 0; k < 2; k++)
            if (bsp->nodes[i].children[k] >= 0 && parents[bsp->nodes[i].children[k]]++)
                fault = "node with two parents";
    if (!fault)
        fault = walk_tree(bsp, parents);
    memory_free(parents);
    if (fault && !fault_limit_reached(checker))
        diag_report(checker->diag, DIAG_BSP_TREE, &checker->where, "%s", fault);
}

static void check_leaves(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    int clusters = bsp_vis_clusters(bsp);
    range(checker, "visibility", 0, "number of clusters", clusters, 0, CLUSTERS_MAX + 1);
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        range(checker, "leaf", i, "cluster", bsp->leaves[i].cluster, -1,
              clusters ? clusters : CLUSTERS_MAX);
    list_length(checker, "distances to water", arrlenu(bsp->leaf_min_dist_to_water), "leaves",
                arrlenu(bsp->leaves));
}

enum status bsp_check_tree(const struct bsp *bsp, const char *name, struct diag *diag)
{
    struct checker checker = {.bsp = bsp, .diag = diag, .where.file = name};
    if (!bsp_vis_is_valid(bsp) && !fault_limit_reached(&checker))
        diag_report(diag, DIAG_BSP_LUMP, &checker.where, "visibility offset outside of the lump");
    if (!checker.faults) {
        check_plane_records(&checker);
        for (size_t i = 0; i < arrlenu(bsp->nodes); i++)
            check_node_record(&checker, i);
        check_leaves(&checker);
        check_model_records(&checker);
    }
    if (!checker.faults)
        check_tree(&checker);
    return checker.faults ? STATUS_FAILED : STATUS_OK;
}
