/* The tree of a model in a compact form, for finding the leaf of many points. */
#ifndef BSP_LEAF_TREE_H
#define BSP_LEAF_TREE_H

#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

/* A node: its plane, and its front and back child. < 0: leaf -1 - child. */
struct leaf_tree_node {
    float normal[3], dist;
    int32_t children[2];
};

struct leaf_tree {
    struct leaf_tree_node *nodes; /* those of the bsp */
    int root;
};

/* Indices of the bsp must be in range. Free with leaf_tree_free. */
void leaf_tree_make(const struct bsp *bsp, int model, struct leaf_tree *out);
void leaf_tree_free(struct leaf_tree *tree);

/* Returns the leaf that contains the point, as bsp_leaf_at does. */
static inline int leaf_tree_from(const struct leaf_tree *tree, int node, struct vec3 point)
{
    while (node >= 0) {
        const struct leaf_tree_node *at = &tree->nodes[node];
        double above = (double)at->normal[0] * point.x + (double)at->normal[1] * point.y +
                       (double)at->normal[2] * point.z - (double)at->dist;
        node = at->children[above < 0];
    }
    return -1 - node;
}

static inline int leaf_tree_at(const struct leaf_tree *tree, struct vec3 point)
{
    return leaf_tree_from(tree, tree->root, point);
}

/* Returns a node from which leaf_tree_from may start for all points of a box: `node` or one below
 * it. Negative: the leaf that they all lie in. `node` is the root, or the result for a box that
 * contains this one. */
int leaf_tree_around(const struct leaf_tree *tree, int node, const struct bounds *box);

/* Parents of the nodes and leaves of a tree. */
struct leaf_parents {
    int32_t
        *above_node; /* the parent node, LEAF_PARENT_ROOT, or LEAF_PARENT_NONE: not in the tree */
    int32_t *above_leaf;
};
enum { LEAF_PARENT_ROOT = -1, LEAF_PARENT_NONE = -2 };

/* The bsp must be the one that the tree was made from. Free with leaf_parents_free. */
void leaf_parents_make(const struct leaf_tree *tree, const struct bsp *bsp,
                       struct leaf_parents *out);
void leaf_parents_free(struct leaf_parents *ways);

/* A plane of the tree with a leaf in front of or behind it. */
struct leaf_plane {
    int node;
    bool before;
};

/* Returns the planes above a leaf that cut a box, by which points in the box are tested for being
 * in the leaf: an stb_ds array, NULL if there are none. */
struct leaf_plane *leaf_planes_of(const struct leaf_tree *tree, const struct leaf_parents *ways,
                                  int leaf, const struct bounds *box);

/* Returns true when a point in the open box is in the leaf, with the same result as
 * leaf_tree_at. */
bool leaf_planes_contain(const struct leaf_tree *tree, const struct leaf_plane *walls,
                         struct vec3 point);

#endif
