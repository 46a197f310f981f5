/* The tree of a model in a compact form, for those who ask for the leaf of many points. */
#ifndef BSP_LEAF_TREE_H
#define BSP_LEAF_TREE_H

#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

/* A node: its plane, and what lies before it and behind it. < 0: leaf -1 - child. */
struct leaf_tree_node {
    float normal[3], dist;
    int32_t children[2];
};

struct leaf_tree {
    struct leaf_tree_node *nodes; /* those of the bsp */
    int root;
};

/* Of a bsp whose indices are sound. Free with leaf_tree_free. */
void leaf_tree_make(const struct bsp *bsp, int model, struct leaf_tree *out);
void leaf_tree_free(struct leaf_tree *tree);

/* The leaf that holds the point, as bsp_leaf_at says. */
static inline int leaf_tree_from(const struct leaf_tree *tree, int node, struct vec3 point)
{
    while (node >= 0) {
        const struct leaf_tree_node *at = &tree->nodes[node];
        double above = (double)at->normal[0] * point.x + (double)at->normal[1] * point.y +
                       (double)at->normal[2] * point.z - (double)at->dist;
        node = at->children[above > 0 ? 0 : 1];
    }
    return -1 - node;
}

static inline int leaf_tree_at(const struct leaf_tree *tree, struct vec3 point)
{
    return leaf_tree_from(tree, tree->root, point);
}

/* Where leaf_tree_from may begin for all points of a box: at `node` or below it. Negative where
 * they all lie in one leaf. `node` is the root, or what the box of a larger place gave. */
int leaf_tree_around(const struct leaf_tree *tree, int node, const struct bounds *box);

#endif
