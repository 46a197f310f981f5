/* The BSP tree of a list of brush pieces. */
#ifndef VBSP_TREE_TREE_BUILD_H
#define VBSP_TREE_TREE_BUILD_H

#include "vbsp/compile.h"

struct tree_stats {
    int nodes, leaves, splits;
};

/* A tree over `pieces` (which it uses up) within `volume`. The sides that are marked visible are
 * preferred as splitters. Nodes, leaves and pieces go to `arena`. */
struct node *tree_build(struct arena *arena, const struct plane_set *planes, struct brush *pieces,
                        struct brush *volume, struct tree_stats *stats);

struct node *tree_leaf_new(struct arena *arena, struct node *parent);
struct node *tree_node_new(struct arena *arena, struct node *parent, int plane);

#endif
