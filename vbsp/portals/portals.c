/* Portals of a tree.
 *
 * Where a face begins follows from the order in which its winding is cut, and what grows or is
 * drawn from its first corner depends on that. So this order is that of the reference compiler: the
 * sides of the outer box axis by axis; the plane of a node first by the nodes above it in its
 * block, then by the portals around it; and a node's own portal before those that it divides. */
#include "vbsp/portals/portals.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/geom/epsilon.h"
#include "common/parallel/parallel.h"

/* The sides of map brushes at a portal.
 *
 * A leaf holds several fragments when they overlap, when one is a sliver that no plane split off,
 * or when what separates them cannot be seen. Each has its own side on the portal's plane, and that
 * side may cover the portal, a part of it, or only touch it. */

/* A side on the portal's plane, with the sides of its fragment, whose planes bound it. */
struct cover {
    const struct brush_side *side; /* of the map brush */
    const struct brush_side *around;
    int count;
    double area; /* of the portal that it covers */
    int order;   /* in which it was found */
};

struct side_search {
    const struct plane *planes;
    const struct portal *portal;
    const struct node *leaf; /* the one with the contents that the other lacks; NULL: neither */
    int contents;            /* their visible bit */
    int plane;               /* of the sides that face the other leaf */
    struct arena scratch;
    struct cover *covers; /* stb_ds array */
};

static void search_begin(struct side_search *search, const struct compile *compile,
                         const struct portal *portal)
{
    *search = (struct side_search){.planes = compile->planes.planes, .portal = portal};
    int difference = portal->nodes[0]->contents ^ portal->nodes[1]->contents;
    search->contents = contents_visible(difference);
    for (int i = 0; i < 2; i++) {
        if (!(portal->nodes[i]->contents & search->contents))
            continue;
        search->leaf = portal->nodes[i];
        search->plane = portal->plane ^ (i == 0);
    }
}

static void search_end(struct side_search *search)
{
    arrfree(search->covers);
    arena_free(&search->scratch);
}

static const struct brush *next_fragment(const struct side_search *search,
                                         const struct brush *fragment)
{
    while (fragment && !(fragment->original->contents & search->contents))
        fragment = fragment->next;
    return fragment;
}

static const struct brush *first_fragment(const struct side_search *search)
{
    return search->leaf ? next_fragment(search, search->leaf->brushes) : NULL;
}

static bool may_be_drawn(const struct brush_side *side)
{
    return !side->bevel && side->texinfo != TEXINFO_NODE && side->winding;
}

static void list_covers(struct side_search *search, const struct brush_side *sides, int count)
{
    for (int i = 0; i < count; i++) {
        if (sides[i].plane != search->plane || !may_be_drawn(&sides[i]))
            continue;
        struct cover cover = {sides[i].original, sides, count, 0, (int)arrlen(search->covers)};
        arrput(search->covers, cover);
        return;
    }
}

/* The part of the winding behind all planes around the side. */
static struct winding *part_within(struct side_search *search, struct winding *winding,
                                   const struct cover *cover)
{
    for (int i = 0; i < cover->count && winding; i++) {
        const struct brush_side *side = &cover->around[i];
        if (!side->bevel && (side->plane | 1) != (search->plane | 1))
            winding = winding_clip_behind(&search->scratch, winding, &search->planes[side->plane],
                                          EPSILON_NOISE);
    }
    return winding;
}

static int compare_covers(const void *a, const void *b)
{
    const struct cover *x = a, *y = b;
    if (x->area < y->area || x->area > y->area)
        return x->area > y->area ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Sorts the covers by the area that they cover and removes those that only touch the portal. */
static void rank_covers(struct side_search *search)
{
    int kept = 0;
    for (int i = 0; i < (int)arrlen(search->covers); i++) {
        struct cover cover = search->covers[i];
        struct winding *part = part_within(search, search->portal->winding, &cover);
        if (!part)
            continue;
        cover.area = winding_area(part);
        search->covers[kept++] = cover;
    }
    arrsetlen(search->covers, (size_t)kept);
    if (kept > 1)
        qsort(search->covers, (size_t)kept, sizeof *search->covers, compare_covers);
}

/* A lone fragment needs no measuring. What is cut off of a fragment is lost where it is too small,
 * so that its whole brush may be needed. */
static void find_covers(struct side_search *search)
{
    for (int whole = 0; whole < 2 && !arrlenu(search->covers); whole++) {
        int fragments = 0;
        for (const struct brush *fragment = first_fragment(search); fragment;
             fragment = next_fragment(search, fragment->next)) {
            const struct map_brush *brush = fragment->original;
            if (whole)
                list_covers(search, brush->sides, brush->side_count);
            else
                list_covers(search, fragment->sides, fragment->side_count);
            fragments++;
        }
        if (fragments > 1)
            rank_covers(search);
    }
}

/* For a portal on the plane of a neighbouring brush. */
static const struct brush_side *closest_side(const struct side_search *search)
{
    const struct brush_side *found = NULL;
    struct vec3 normal = search->planes[search->plane].normal;
    double best = 0;
    for (const struct brush *fragment = first_fragment(search); fragment;
         fragment = next_fragment(search, fragment->next)) {
        const struct map_brush *brush = fragment->original;
        for (int i = 0; i < brush->side_count; i++) {
            const struct brush_side *side = &brush->sides[i];
            double alike = vec3_dot(search->planes[side->plane].normal, normal);
            if (!may_be_drawn(side) || !(alike > best))
                continue;
            best = alike;
            found = side;
        }
    }
    return found;
}

static void search_side(struct side_search *search, struct portal *portal)
{
    find_covers(search);
    portal->side_searched = true;
    portal->side = arrlenu(search->covers) ? search->covers[0].side : closest_side(search);
}

void portal_find_side(const struct compile *compile, struct portal *portal)
{
    struct side_search search;
    search_begin(&search, compile, portal);
    search_side(&search, portal);
    search_end(&search);
}

static bool drawn_alike(const struct brush_side *a, const struct brush_side *b)
{
    return a->texinfo == b->texinfo && a->flags == b->flags && a->overlays == b->overlays &&
           (!a->map_side || !b->map_side ||
            a->map_side->smoothing_groups == b->map_side->smoothing_groups);
}

static bool all_drawn_alike(const struct cover *covers)
{
    for (size_t i = 1; i < arrlenu(covers); i++)
        if (!drawn_alike(covers[0].side, covers[i].side))
            return false;
    return true;
}

static bool is_significant(const struct winding *winding)
{
    return winding && winding_count_edges(winding, EPSILON_WELD) >= 3;
}

/* Cuts the part of the winding that the side covers out of it. The parts around it are appended to
 * the array; a cut that leaves nothing significant on one side is not made. NULL: not covered. */
static struct winding *cut_out(const struct side_search *search, struct arena *arena,
                               struct winding *winding, const struct cover *cover,
                               struct winding ***around)
{
    for (int i = 0; i < cover->count; i++) {
        const struct brush_side *side = &cover->around[i];
        if (side->bevel || (side->plane | 1) == (search->plane | 1))
            continue;
        struct winding *front, *back;
        const struct plane *plane = &search->planes[side->plane];
        winding_clip(arena, winding, plane, EPSILON_SPLIT, &front, &back);
        if (!is_significant(front))
            continue;
        if (!is_significant(back))
            return NULL;
        arrput(*around, front);
        winding = back;
    }
    return winding;
}

static void divide(struct side_search *search, struct arena *arena, struct portal_part **parts)
{
    struct winding **left = NULL, **around = NULL;
    arrput(left, search->portal->winding);
    for (size_t i = 0; i < arrlenu(search->covers); i++) {
        const struct cover *cover = &search->covers[i];
        struct winding **rest = NULL;
        for (size_t k = 0; k < arrlenu(left); k++) {
            arrsetlen(around, 0);
            struct winding *covered = cut_out(search, arena, left[k], cover, &around);
            if (!covered) {
                arrput(rest, left[k]);
                continue;
            }
            struct portal_part part = {cover->side, covered};
            arrput(*parts, part);
            for (size_t n = 0; n < arrlenu(around); n++)
                arrput(rest, around[n]);
        }
        arrfree(left);
        left = rest;
    }
    for (size_t k = 0; k < arrlenu(left); k++) {
        struct portal_part part = {search->covers[0].side, left[k]};
        arrput(*parts, part);
    }
    arrfree(left);
    arrfree(around);
}

void portal_find_parts(const struct compile *compile, struct arena *arena, struct portal *portal,
                       struct portal_part **parts)
{
    struct side_search search;
    arrsetlen(*parts, 0);
    search_begin(&search, compile, portal);
    search_side(&search, portal);
    if (arrlenu(search.covers) > 1 && !all_drawn_alike(search.covers)) {
        divide(&search, arena, parts);
    } else if (portal->side) {
        struct portal_part whole = {portal->side, portal->winding};
        arrput(*parts, whole);
    }
    search_end(&search);
}

/* --- portals --- */

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
