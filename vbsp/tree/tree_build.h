/* Builds the BSP tree of a list of brush fragments, and that of the world, which is cut into blocks
 * first: small trees are better trees, and blocks are independent of each other. */
#ifndef VBSP_TREE_TREE_BUILD_H
#define VBSP_TREE_TREE_BUILD_H

#include "vbsp/context.h"
#include "vbsp/tree/tree.h"

struct tree_stats {
    int nodes, leaves, splits;
};

/* The part of a splitter's score that differs between engine families. */
struct splitter_rules {
    /* Planes with as many fragments on either side are preferred: the tree is less deep, but cuts
     * open space into more leaves. */
    bool balanced;
    /* Sides that nothing sees count as shared too. */
    bool hidden_shared;
};

/* As Valve's vbsp scores them; and for fewer clusters in open maps. */
extern const struct splitter_rules splitters_balanced, splitters_open;

/* Builds a tree over `fragments` (consumed) within `volume`. Sides that are marked visible are
 * preferred as splitters. Nodes, leaves and fragments are allocated in `arena`. */
struct node *tree_build(struct arena *arena, const struct plane_set *planes,
                        const struct splitter_rules *rules, struct brush *fragments,
                        struct brush *volume, struct tree_stats *stats);

/* How the world is cut. */
struct block_rules {
    struct vec3 size; /* of a block, in units; 0: not cut across that axis */
    const struct splitter_rules *splitters;
    bool all_visible; /* in the first pass, all sides count as visible */
};

/* blocks.c: the tree of the world's structural brushes (numbers in compile->brushes), chopped per
 * block and joined by a tree of block planes with a ring of empty blocks around. `world` is the
 * bounds of all brushes of the world. Free with tree_free. */
struct tree *blocks_build_world(struct compile *compile, const struct bounds *world,
                                const struct block_rules *rules, const int *brushes,
                                struct tree_stats *stats);

struct node *tree_leaf_new(struct arena *arena, struct node *parent);
struct node *tree_node_new(struct arena *arena, struct node *parent, int plane);

#endif
