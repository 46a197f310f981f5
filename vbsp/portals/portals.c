/* Portals of a tree.
 *
 * Where a face begins follows from the order in which its winding is cut, and what grows or is
 * drawn from its first corner depends on that. So this order is that of the reference compiler: the
 * sides of the outer box axis by axis; the plane of a node first by the nodes above it in its
 * block, then by the portals around it; and a node's own portal before those that it divides. */
#include "vbsp/portals/portals.h"

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/geom/epsilon.h"
#include "common/parallel/parallel.h"

/* Distance of the outer box of portals from the tree, so that every leaf borders on the outside. */
#define OUTSIDE_MARGIN 8.0

enum { NODES_AT_ONCE = 256 }; /* per thread: smaller trees are not worth a parallel loop */

struct portal_maker {
    struct tree *tree;
    const struct plane_set *planes;
    const struct node **nodes; /* stb_ds array: those with children, parents first */
    struct winding **windings; /* per node: its plane, clipped by the nodes above in its block */
    struct arena *arenas;      /* one per thread */
    size_t next;               /* next node to get its portals */
    double min_edge; /* portals with fewer than three edges longer than this are dropped */
    int without;
};

static bool is_too_small(const struct portal_maker *maker, const struct winding *winding)
{
    if (winding_count_edges(winding, maker->min_edge) >= 3)
        return false;
    maker->tree->has_slivers |= winding_count_edges(winding, EPSILON_WELD) >= 3;
    return true;
}

static struct portal *new_portal(struct portal_maker *maker, int plane, struct node *on_node,
                                 struct winding *winding)
{
    struct portal *portal = ARENA_NEW(&maker->tree->arena, struct portal);
    portal->plane = plane;
    portal->on_node = on_node;
    portal->winding = winding;
    return portal;
}

static void link_portal(struct portal *portal, struct node *front, struct node *back)
{
    struct node *nodes[2] = {front, back};
    for (int i = 0; i < 2; i++) {
        struct portal *next = nodes[i]->portals;
        portal->nodes[i] = nodes[i];
        portal->next[i] = next;
        portal->previous[i] = NULL;
        if (next)
            next->previous[portal_side(next, nodes[i])] = portal;
        nodes[i]->portals = portal;
    }
}

static void unlink_from(struct portal *portal, struct node *node)
{
    int side = portal_side(portal, node);
    struct portal *next = portal->next[side], *previous = portal->previous[side];
    if (next)
        next->previous[portal_side(next, node)] = previous;
    *(previous ? &previous->next[portal_side(previous, node)] : &node->portals) = next;
}

static void make_outside(struct compile *compile, struct portal_maker *maker)
{
    struct tree *tree = maker->tree;
    tree->outside = (struct node){.plane = PLANE_LEAF, .cluster = -1, .occupant = -1};
    tree->root->portals = NULL;
    int numbers[6];
    for (int i = 0; i < 6; i++) {
        int axis = i / 2;
        struct vec3 normal = vec3(0, 0, 0);
        normal.e[axis] = i % 2 ? -1 : 1;
        double dist = i % 2 ? -(tree->bounds.maxs.e[axis] + OUTSIDE_MARGIN)
                            : tree->bounds.mins.e[axis] - OUTSIDE_MARGIN;
        numbers[i] = plane_set_find(&compile->planes, normal, dist);
    }
    for (int i = 0; i < 6; i++) {
        const struct plane *planes = compile->planes.planes;
        struct winding *winding = winding_from_plane(&tree->arena, &planes[numbers[i]]);
        for (int j = 0; j < 6 && winding; j++)
            if (j != i)
                winding_clip(&tree->arena, winding, &planes[numbers[j]], EPSILON_PORTAL, &winding,
                             NULL);
        struct portal *portal = new_portal(maker, numbers[i], NULL, winding);
        link_portal(portal, tree->root, &tree->outside);
    }
}

static void list_nodes(struct portal_maker *maker, const struct node *node)
{
    if (node->plane == PLANE_LEAF)
        return;
    arrput(maker->nodes, node);
    list_nodes(maker, node->children[0]);
    list_nodes(maker, node->children[1]);
}

static bool is_of_grid(const struct node *node)
{
    return !node->splitter;
}

/* Of the nodes above, those of the block grid or the others. */
static struct winding *cut_by_nodes_above(struct arena *arena, const struct plane *planes,
                                          const struct node *node, struct winding *winding,
                                          bool of_grid)
{
    const struct node *child = node;
    for (const struct node *above = node->parent; above && winding; above = above->parent) {
        if (is_of_grid(above) == of_grid)
            winding = winding_clip_side(arena, winding, &planes[above->plane], EPSILON_PORTAL,
                                        above->children[1] == child);
        child = above;
    }
    return winding;
}

static struct winding *cut_plane(struct arena *arena, const struct plane *planes,
                                 const struct node *node)
{
    struct arena_mark mark = arena_mark(arena);
    struct winding *winding = winding_from_plane(arena, &planes[node->plane]);
    winding = cut_by_nodes_above(arena, planes, node, winding, false);
    return winding_keep(arena, mark, winding);
}

static void cut_node_range(void *context, size_t index, int thread)
{
    struct portal_maker *maker = context;
    size_t end = (index + 1) * NODES_AT_ONCE, count = arrlenu(maker->nodes);
    for (size_t i = index * NODES_AT_ONCE; i < end && i < count; i++)
        maker->windings[i] =
            cut_plane(&maker->arenas[thread], maker->planes->planes, maker->nodes[i]);
}

static void cut_planes(struct compile *compile, struct portal_maker *maker)
{
    int threads = compile->env->threads;
    list_nodes(maker, maker->tree->root);
    size_t count = arrlenu(maker->nodes);
    maker->windings = memory_zalloc(count, sizeof *maker->windings);
    maker->arenas = memory_zalloc((size_t)threads, sizeof *maker->arenas);
    parallel_for(threads, (count + NODES_AT_ONCE - 1) / NODES_AT_ONCE, cut_node_range, maker);
    for (int i = 0; i < threads; i++)
        arena_take(&maker->tree->arena, &maker->arenas[i]);
    memory_free(maker->arenas);
}

/* The part of a node's plane inside the node: clipped by the nodes above in its block, then by the
 * portals around the node, and last, for what is left within their tolerance, by the grid. */
static struct winding *node_winding(struct portal_maker *maker, const struct node *node)
{
    struct arena *arena = &maker->tree->arena;
    const struct plane *planes = maker->planes->planes;
    struct winding *winding = maker->windings[maker->next++];
    for (const struct portal *portal = node->portals; portal && winding;
         portal = portal_next(portal, node))
        winding = winding_clip_side(arena, winding, &planes[portal->plane], EPSILON_SPLIT,
                                    portal_side(portal, node));
    winding = cut_by_nodes_above(arena, planes, node, winding, true);
    return winding && !is_too_small(maker, winding) ? winding : NULL;
}

/* Distributes the portals of a node to its children and cuts those that its plane crosses. */
static void divide_portals(struct portal_maker *maker, struct node *node)
{
    const struct plane *plane = &maker->planes->planes[node->plane];
    struct portal *portal = node->portals;
    node->portals = NULL;
    while (portal) {
        int side = portal_side(portal, node);
        struct portal *next = portal->next[side];
        struct node *other = portal->nodes[1 - side];
        unlink_from(portal, other);
        struct winding *parts[2];
        winding_clip(&maker->tree->arena, portal->winding, plane, EPSILON_PORTAL, &parts[0],
                     &parts[1]);
        for (int i = 0; i < 2; i++) {
            bool whole = parts[i] == portal->winding;
            if (!parts[i] || (!whole && is_too_small(maker, parts[i])))
                continue;
            struct portal *part = portal;
            if (!whole)
                part = new_portal(maker, portal->plane, portal->on_node, parts[i]);
            struct node *child = node->children[i];
            link_portal(part, side ? other : child, side ? child : other);
        }
        portal = next;
    }
}

static void make_portals(struct portal_maker *maker, struct node *node)
{
    if (node->plane == PLANE_LEAF)
        return;
    struct winding *winding = node_winding(maker, node);
    if (winding) {
        struct portal *portal = new_portal(maker, node->plane, node, winding);
        link_portal(portal, node->children[0], node->children[1]);
    }
    divide_portals(maker, node);
    make_portals(maker, node->children[0]);
    make_portals(maker, node->children[1]);
}

static void update_bounds(struct portal_maker *maker, struct node *node)
{
    node->bounds = bounds_empty();
    if (node->plane != PLANE_LEAF) {
        for (int i = 0; i < 2; i++) {
            update_bounds(maker, node->children[i]);
            bounds_add(&node->bounds, &node->children[i]->bounds);
        }
        return;
    }
    for (const struct portal *portal = node->portals; portal; portal = portal_next(portal, node)) {
        struct bounds bounds = winding_bounds(portal->winding);
        bounds_add(&node->bounds, &bounds);
    }
    maker->without += !node->portals;
}

static void clear_portals(struct node *node)
{
    node->portals = NULL;
    if (node->plane != PLANE_LEAF) {
        clear_portals(node->children[0]);
        clear_portals(node->children[1]);
    }
}

static int make_portals_of_tree(struct compile *compile, struct tree *tree, double min_edge)
{
    struct portal_maker maker = {.tree = tree, .planes = &compile->planes, .min_edge = min_edge};
    tree->has_slivers = false;
    clear_portals(tree->root);
    make_outside(compile, &maker);
    cut_planes(compile, &maker);
    make_portals(&maker, tree->root);
    update_bounds(&maker, tree->root);
    arrfree(maker.nodes);
    memory_free(maker.windings);
    return maker.without;
}

int portals_make(struct compile *compile, struct tree *tree)
{
    return make_portals_of_tree(compile, tree, EPSILON_EDGE);
}

void portals_make_fine(struct compile *compile, struct tree *tree)
{
    make_portals_of_tree(compile, tree, EPSILON_WELD);
}
