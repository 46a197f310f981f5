/* Builds the BSP tree of a list of brush fragments, and that of the world, which is cut into blocks
 * first: small trees are better trees, and blocks are independent of each other. */
#ifndef VBSP_TREE_TREE_BUILD_H
#define VBSP_TREE_TREE_BUILD_H

#include "vbsp/context.h"
#include "vbsp/tree/tree.h"

struct tree_stats {
    int nodes, leaves, splits;
};

/* Builds a tree over `fragments` (consumed) within `volume`. Sides that are marked visible are
 * preferred as splitters. Nodes, leaves and fragments are allocated in `arena`. */
struct node *tree_build(struct arena *arena, const struct plane_set *planes,
                        struct brush *fragments, struct brush *volume, struct tree_stats *stats);

/* blocks.c: the tree of the world's structural brushes (numbers in compile->brushes), chopped per
 * block and joined by a tree of block planes with a ring of empty blocks around. `size` is the
 * block size in units; 0: not cut across that axis. `world` is the bounds of all brushes of the
 * world. Free with tree_free. */
struct tree *blocks_build_world(struct compile *compile, const struct bounds *world,
                                struct vec3 size, const int *brushes, bool all_visible,
                                struct tree_stats *stats);

struct node *tree_leaf_new(struct arena *arena, struct node *parent);
struct node *tree_node_new(struct arena *arena, struct node *parent, int plane);

#endif
