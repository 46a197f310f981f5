/* Writes planes and a finished tree as records. The target fills in leaf records and node faces. */
#ifndef VBSP_TREE_TREE_WRITE_H
#define VBSP_TREE_TREE_WRITE_H

#include "common/bsp/bsp.h"
#include "vbsp/tree/tree.h"

struct tree_writer {
    struct bsp *bsp;
    void *context; /* passed to the functions */
    /* Sets a leaf's record except for its bounds and brushes; appends to the bsp the leaf's brushes
     * that are not in its list (leaf_brushes). */
    void (*leaf)(void *context, const struct node *leaf, struct bsp_leaf *record);
    /* Writes the faces on a node, or NULL. */
    void (*faces)(void *context, const struct node *node);
    bool doubles_lone_leaf; /* a tree of a single leaf gets its record twice */
};

/* Appends nodes with their faces and leaves with their brushes, and numbers them (node->index).
 * Readers start at a node: a tree of a single leaf gets a node with that leaf on both sides.
 * Returns the number of the head node. */
int tree_write(const struct tree_writer *writer, struct tree *tree);

void planes_write(const struct plane_set *planes, struct bsp *bsp);

/* Sorts the end of an stb_ds array, from `first` on, and removes duplicates. */
void list_sort_unique(int32_t *list, size_t first);

#endif
