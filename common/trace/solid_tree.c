#include "common/trace/solid_tree.h"

#include <math.h>
#include <string.h>

#include "common/core/memory.h"

SIMD_TABLES(solid_walks)

struct maker {
    const struct leaf_tree *from;
    size_t node_count, visits;
    const int32_t *kinds;
    struct solid_tree *out;
};

enum {
    NOT_A_TREE = INT32_MIN,
    MAX_NODES = 1 << 24, /* their numbers must be exact as floats */
};

static int axis_of(const float normal[3])
{
    for (int k = 0; k < 3; k++)
        if (normal[k] == 1 && normal[(k + 1) % 3] == 0 && normal[(k + 2) % 3] == 0)
            return k;
    return 3;
}

/* Nodes whose children are equal leaves are removed. */
static int add_child(struct maker *maker, int from, int depth)
{
    if (from < 0)
        return maker->kinds[-1 - from];
    if (depth >= SOLID_TREE_DEPTH || maker->visits++ >= maker->node_count)
        return NOT_A_TREE;
    const struct leaf_tree_node *source = &maker->from->nodes[from];
    int number = maker->out->count++, children[2];
    for (int i = 0; i < 2; i++) {
        children[i] = add_child(maker, source->children[i], depth + 1);
        if (children[i] == NOT_A_TREE)
            return NOT_A_TREE;
    }
    if (children[0] == children[1] && children[0] < 0) {
        maker->out->count = number;
        return children[0];
    }
    struct solid_tree_node *node = &maker->out->nodes[number];
    memcpy(node->normal, source->normal, sizeof node->normal);
    memcpy(node->children, children, sizeof node->children);
    node->dist = source->dist;
    node->axis = axis_of(source->normal);
    return number;
}

bool solid_tree_make(const struct leaf_tree *tree, size_t node_count, const int32_t *kinds,
                     const struct solid_tree_box *boxes, struct solid_tree *out)
{
    *out = (struct solid_tree){.boxes = boxes,
                               .nodes = memory_zalloc(node_count + 1, sizeof *out->nodes),
                               .root = SOLID_TREE_OPEN};
    if (node_count > MAX_NODES) {
        solid_tree_free(out);
        return false;
    }
    struct maker maker = {tree, node_count, 0, kinds, out};
    int root = add_child(&maker, tree->root, 0);
    if (root < 0) {
        solid_tree_free(out);
        return false;
    }
    out->root = root;
    return true;
}

void solid_tree_free(struct solid_tree *tree)
{
    memory_free(tree->nodes);
    *tree = (struct solid_tree){.root = SOLID_TREE_OPEN};
}

/* Interval of a ray inside the space of a child. */
struct span {
    int child;
    double from, to;
};

int solid_tree_steps(const struct solid_tree *tree, struct vec3 origin, struct vec3 direction)
{
    struct span stack[SOLID_TREE_DEPTH], now = {tree->root, 0, (double)INFINITY};
    int count = 0, steps = 0;
    for (;;) {
        while (now.child >= 0) {
            const struct solid_tree_node *node = &tree->nodes[now.child];
            struct vec3 normal = vec3_from_floats(node->normal);
            double above = vec3_dot(normal, origin) - (double)node->dist;
            double crossing = -above / vec3_dot(normal, direction);
            bool behind = above<0, crosses = crossing> now.from && crossing < now.to;
            bool passed = crossing > 0 && crossing <= now.from;
            if (crosses)
                stack[count++] = (struct span){node->children[!behind], crossing, now.to};
            now.to = crosses ? crossing : now.to;
            now.child = node->children[behind != passed];
            steps++;
        }
        if (now.child == SOLID_TREE_SOLID || now.child == SOLID_TREE_SKY || count == 0)
            return steps;
        now = stack[--count];
    }
}
