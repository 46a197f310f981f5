/* Planes and a finished tree as records. What a leaf's record says and which faces lie on a node is
 * the target's. */
#ifndef VBSP_TREE_TREE_WRITE_H
#define VBSP_TREE_TREE_WRITE_H

#include "common/bsp/bsp.h"
#include "vbsp/tree/tree.h"

struct tree_writer {
    struct bsp *bsp;
    void *context; /* of the functions */
    /* Sets a leaf's record, but for its box and its brushes; those that are not in the list of the
     * leaf (leaf_brushes) it appends to the bsp's. */
    void (*leaf)(void *context, const struct node *leaf, struct bsp_leaf *record);
    /* Writes the faces that lie on a node, or NULL. */
    void (*faces)(void *context, const struct node *node);
    bool doubles_lone_leaf; /* a tree that is one leaf gets its record twice */
};

/* Appends nodes with their faces, and leaves with their brushes, and numbers them (node->index).
 * Readers start at a node: a tree that is one leaf gets a node with that leaf on both sides.
 * Returns the number of the head node. */
int tree_write(const struct tree_writer *writer, struct tree *tree);

void planes_write(const struct plane_set *planes, struct bsp *bsp);

/* Sorts an stb_ds array's end, from `first` on, and drops what is there twice. */
void list_sort_unique(int32_t *list, size_t first);

#endif
