#include "common/bsp/leaf_tree.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"

/* Of the distances of a box, whatever their rounding. */
#define ROUNDING 1e-3

void leaf_tree_make(const struct bsp *bsp, int model, struct leaf_tree *out)
{
    size_t count = arrlenu(bsp->nodes);
    out->nodes = memory_alloc((count + 1) * sizeof *out->nodes);
    out->root = arrlen(bsp->models) > model ? bsp->models[model].head_node : -1;
    for (size_t i = 0; i < count; i++) {
        const struct bsp_plane *plane = &bsp->planes[bsp->nodes[i].plane];
        struct leaf_tree_node *node = &out->nodes[i];
        memcpy(node->normal, plane->normal, sizeof node->normal);
        node->dist = plane->dist;
        memcpy(node->children, bsp->nodes[i].children, sizeof node->children);
    }
}

void leaf_tree_free(struct leaf_tree *tree)
{
    memory_free(tree->nodes);
    *tree = (struct leaf_tree){0};
}

int leaf_tree_around(const struct leaf_tree *tree, int node, const struct bounds *box)
{
    struct vec3 middle = vec3_lerp(box->mins, box->maxs, 0.5);
    struct vec3 half = vec3_scale(vec3_sub(box->maxs, box->mins), 0.5);
    while (node >= 0) {
        const struct leaf_tree_node *at = &tree->nodes[node];
        double above = -(double)at->dist, reach = ROUNDING;
        for (int k = 0; k < 3; k++) {
            above += (double)at->normal[k] * middle.e[k];
            reach += fabs((double)at->normal[k]) * half.e[k];
        }
        if (!(fabs(above) > reach))
            break;
        node = at->children[above > 0 ? 0 : 1];
    }
    return node;
}
