#include "common/bsp/leaf_tree.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"

/* Upper bound on the rounding errors of a box's distances. */
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
        double above = -(double)at->dist, radius = ROUNDING;
        for (int k = 0; k < 3; k++) {
            above += (double)at->normal[k] * middle.e[k];
            radius += fabs((double)at->normal[k]) * half.e[k];
        }
        if (!(fabs(above) > radius))
            break;
        node = at->children[above > 0 ? 0 : 1];
    }
    return node;
}

/* Minimum and maximum distance of a box from the plane of a node. */
static void span_of(const struct leaf_tree_node *node, const struct bounds *box, double *low,
                    double *high)
{
    *low = *high = -(double)node->dist;
    for (int k = 0; k < 3; k++) {
        double a = (double)node->normal[k] * box->mins.e[k];
        double b = (double)node->normal[k] * box->maxs.e[k];
        *low += portable_fmin(a, b);
        *high += portable_fmax(a, b);
    }
}

void leaf_parents_make(const struct leaf_tree *tree, const struct bsp *bsp,
                       struct leaf_parents *out)
{
    size_t nodes = arrlenu(bsp->nodes), leaves = arrlenu(bsp->leaves);
    int32_t *pending = NULL;
    out->above_node = memory_alloc((nodes + 1) * sizeof *out->above_node);
    out->above_leaf = memory_alloc((leaves + 1) * sizeof *out->above_leaf);
    for (size_t i = 0; i < nodes; i++)
        out->above_node[i] = LEAF_PARENT_NONE;
    for (size_t i = 0; i < leaves; i++)
        out->above_leaf[i] = LEAF_PARENT_NONE;
    if (arrlen(bsp->models) == 0)
        return;
    *(tree->root < 0 ? &out->above_leaf[-1 - tree->root] : &out->above_node[tree->root]) =
        LEAF_PARENT_ROOT;
    arrput(pending, tree->root);
    while (arrlen(pending) > 0) {
        int32_t at = arrpop(pending);
        for (int i = 0; at >= 0 && i < 2; i++) {
            int32_t child = tree->nodes[at].children[i];
            *(child < 0 ? &out->above_leaf[-1 - child] : &out->above_node[child]) = at;
            arrput(pending, child);
        }
    }
    arrfree(pending);
}

void leaf_parents_free(struct leaf_parents *ways)
{
    memory_free(ways->above_node);
    memory_free(ways->above_leaf);
    *ways = (struct leaf_parents){0};
}

struct leaf_plane *leaf_planes_of(const struct leaf_tree *tree, const struct leaf_parents *ways,
                                  int leaf, const struct bounds *box)
{
    struct leaf_plane *walls = NULL;
    int32_t child = -1 - leaf, at = ways->above_leaf[leaf];
    while (at >= 0) {
        const struct leaf_tree_node *node = &tree->nodes[at];
        const struct leaf_plane wall = {at, node->children[0] == child};
        double low, high;
        span_of(node, box, &low, &high);
        if (wall.before ? low < 0 : high > 0)
            arrput(walls, wall);
        child = at;
        at = ways->above_node[at];
    }
    return walls;
}

bool leaf_planes_contain(const struct leaf_tree *tree, const struct leaf_plane *walls,
                         struct vec3 point)
{
    for (ptrdiff_t i = 0; i < arrlen(walls); i++) {
        const struct leaf_tree_node *at = &tree->nodes[walls[i].node];
        double above = (double)at->normal[0] * point.x + (double)at->normal[1] * point.y +
                       (double)at->normal[2] * point.z - (double)at->dist;
        if ((above >= 0) != walls[i].before)
            return false;
    }
    return true;
}
