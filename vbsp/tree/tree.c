#include "vbsp/tree/tree.h"

#include "common/core/memory.h"
#include "common/geom/epsilon.h"
#include "vbsp/csg/brush_fragment.h"

struct node *tree_leaf_at(const struct tree *tree, const struct plane *planes, struct vec3 point)
{
    struct node *node = tree->root;
    while (node->plane != PLANE_LEAF)
        node = node->children[plane_distance(&planes[node->plane], point) < 0];
    return node;
}

void tree_free(struct tree *tree)
{
    if (!tree)
        return;
    arena_free(&tree->arena);
    memory_free(tree);
}

int tree_prune(struct node *node)
{
    if (node->plane == PLANE_LEAF)
        return 0;
    int pruned = tree_prune(node->children[0]) + tree_prune(node->children[1]);
    for (int i = 0; i < 2; i++)
        if (node->children[i]->plane != PLANE_LEAF || leaf_is_open(node->children[i]))
            return pruned;
    node->plane = PLANE_LEAF;
    node->contents = CONTENTS_SOLID;
    node->cluster = -1;
    node->occupant = -1;
    node->water_data = -1;
    node->occupied = node->area = 0;
    /* The leaf takes over the contents of both. */
    node->brushes = node->children[0]->brushes;
    struct brush **tail = &node->brushes;
    while (*tail)
        tail = &(*tail)->next;
    *tail = node->children[1]->brushes;
    node->leaf_brushes = node->children[0]->leaf_brushes;
    struct leaf_item **items = &node->leaf_brushes;
    while (*items)
        items = &(*items)->next;
    *items = node->children[1]->leaf_brushes;
    return pruned + 1;
}

/* Returns true when the node is, or would become, a solid leaf. */
static bool count_below(const struct node *node, bool pruned, int64_t *count)
{
    if (node->plane == PLANE_LEAF)
        return pruned && !leaf_is_open(node);
    bool first = count_below(node->children[0], pruned, count);
    bool second = count_below(node->children[1], pruned, count);
    *count += !(first && second);
    return first && second;
}

int64_t tree_count_nodes(const struct node *node, bool pruned)
{
    int64_t count = 0;
    (void)count_below(node, pruned, &count);
    return count;
}

static void list_in_leaf(struct arena *arena, struct node *leaf, const struct map_brush *brush)
{
    for (struct leaf_item *item = leaf->leaf_brushes; item; item = item->next)
        if (item->brush == brush)
            return;
    struct leaf_item *item = ARENA_NEW(arena, struct leaf_item);
    item->brush = brush;
    item->next = leaf->leaf_brushes;
    leaf->leaf_brushes = item;
}

static void filter_below(struct tree *tree, struct node *node, const struct plane_set *planes,
                         struct brush *fragment, bool in_solid)
{
    while (node->plane != PLANE_LEAF) {
        struct brush *front, *back;
        brush_fragment_cut(&tree->arena, planes, fragment, node->plane, &front, &back);
        if (!front && !back)
            return;
        if (front && back)
            filter_below(tree, node->children[1], planes, back, in_solid);
        fragment = front ? front : back;
        node = node->children[!front];
    }
    if (in_solid || !(node->contents & CONTENTS_SOLID))
        list_in_leaf(&tree->arena, node, fragment->original);
}

void tree_filter_fragment(struct tree *tree, const struct plane_set *planes, struct brush *fragment,
                          bool in_solid)
{
    filter_below(tree, tree->root, planes, fragment, in_solid);
}

static bool covers(const struct plane_set *planes, const struct map_brush *brush,
                   const struct winding *winding)
{
    for (int i = 0; i < brush->side_count; i++) {
        const struct brush_side *side = &brush->sides[i];
        if (side->bevel)
            continue;
        for (int k = 0; k < winding->count; k++)
            if (plane_distance(&planes->planes[side->plane], winding->points[k]) > EPSILON_SPLIT)
                return false;
    }
    return true;
}

bool sliver_covers(const struct plane_set *planes, const struct portal *portal)
{
    for (int i = 0; i < 2; i++)
        for (const struct brush *fragment = portal->nodes[i]->brushes; fragment;
             fragment = fragment->next)
            if ((fragment->original->contents & CONTENTS_SOLID) &&
                covers(planes, fragment->original, portal->winding))
                return true;
    return false;
}
