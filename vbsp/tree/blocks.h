/* The world is cut into blocks, of a size that the target has, before its trees are built: small
 * trees are better trees, and blocks do not depend on each other. */
#ifndef VBSP_TREE_BLOCKS_H
#define VBSP_TREE_BLOCKS_H

#include "vbsp/compile.h"
#include "vbsp/tree/tree_build.h"

/* The tree of the world's structural brushes (numbers in compile->brushes), chopped per block and
 * joined by a tree of block planes with a ring of empty blocks around. `world` bounds all brushes
 * of the world. Free with tree_free. */
struct tree *blocks_build_world(struct compile *compile, const struct bounds *world,
                                const int *brushes, bool all_visible, struct tree_stats *stats);

#endif
