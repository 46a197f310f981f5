#include "vbsp/areas.h"

#include "common/core/array.h"

static void flood_area(struct node *leaf, int area)
{
    struct node **queue = NULL;
    leaf->area = area;
    arrput(queue, leaf);
    for (size_t i = 0; i < arrlenu(queue); i++) {
        struct node *from = queue[i];
        for (struct portal *portal = from->portals; portal; portal = portal_next(portal, from)) {
            struct node *next = portal->nodes[!portal_side(portal, from)];
            if (next->area || !leaf_is_open(next) || !next->occupied)
                continue;
            next->area = area;
            arrput(queue, next);
        }
    }
    arrfree(queue);
}

static void find(struct node *node, int *areas)
{
    if (node->plane != PLANE_LEAF) {
        find(node->children[0], areas);
        find(node->children[1], areas);
    } else if (!node->area && node->occupied && leaf_is_open(node)) {
        flood_area(node, (*areas)++);
    }
}

int areas_find(struct tree *tree)
{
    int areas = 1;
    find(tree->root, &areas);
    return areas;
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
    /* The leaf takes over what lay in both. */
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

/* The areas that a sky_camera stands in, as a set of bits by number. */
static bool *sky_areas(struct compile *compile, struct tree *tree)
{
    bool *sky = NULL;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct entity *keys = &compile->entities[i].source->keys;
        struct vec3 origin;
        if (!entity_is(keys, "sky_camera") || !entity_vector(keys, "origin", &origin))
            continue;
        size_t area = (size_t)tree_leaf_at(tree, compile->planes.planes, origin)->area;
        while (arrlenu(sky) <= area)
            arrput(sky, false);
        sky[area] = area > 0;
    }
    return sky;
}

struct cluster_maker {
    const struct compile *compile;
    const bool *sky;
    int sky_cluster;
    struct prt *prt;
};

static void number(struct cluster_maker *maker, struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        number(maker, node->children[0]);
        number(maker, node->children[1]);
        return;
    }
    node->cluster = -1;
    if (!leaf_is_open(node))
        return;
    size_t area = (size_t)node->area;
    bool sky = area < arrlenu(maker->sky) && maker->sky[area];
    if (sky && maker->sky_cluster < 0)
        maker->sky_cluster = maker->prt->cluster_count++;
    node->cluster = sky ? maker->sky_cluster : maker->prt->cluster_count++;
}

/* Light passes between leaves that look the same, and through what is translucent or detail. */
static bool vis_passes(const struct portal *portal)
{
    if (!portal->on_node)
        return false;
    int contents[2];
    for (int i = 0; i < 2; i++)
        contents[i] = portal->nodes[i]->contents;
    if (!contents_visible(contents[0] ^ contents[1]))
        return !((contents[0] | contents[1]) & CONTENTS_SOLID);
    for (int i = 0; i < 2; i++)
        if (contents[i] & (CONTENTS_TRANSLUCENT | CONTENTS_DETAIL))
            contents[i] = 0;
    if ((contents[0] | contents[1]) & CONTENTS_SOLID)
        return false;
    return !contents_visible(contents[0] ^ contents[1]);
}

static void write_portals(struct cluster_maker *maker, struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        write_portals(maker, node->children[0]);
        write_portals(maker, node->children[1]);
        return;
    }
    for (struct portal *portal = node->portals; portal; portal = portal_next(portal, node)) {
        if (portal->nodes[0] != node || !vis_passes(portal))
            continue;
        int front = portal->nodes[0]->cluster, back = portal->nodes[1]->cluster;
        if (front == back || front < 0 || back < 0)
            continue;
        struct prt_portal written = {{front, back}, NULL};
        written.winding = winding_copy(&maker->prt->arena, portal->winding);
        /* Readers tell the sides by the winding, which rounding may have turned. */
        struct plane turned;
        const struct plane *plane = &maker->compile->planes.planes[portal->plane];
        if (winding_plane(written.winding, &turned) &&
            vec3_dot(turned.normal, plane->normal) < 0.99) {
            written.clusters[0] = back;
            written.clusters[1] = front;
        }
        arrput(maker->prt->portals, written);
    }
}

void clusters_number(struct compile *compile, struct tree *tree, struct prt *prt)
{
    bool *sky = sky_areas(compile, tree);
    struct cluster_maker maker = {.compile = compile, .sky = sky, .sky_cluster = -1, .prt = prt};
    number(&maker, tree->root);
    write_portals(&maker, tree->root);
    arrfree(sky);
}

void clusters_give_up(struct node *node)
{
    if (node->plane == PLANE_LEAF) {
        node->cluster = leaf_is_open(node) ? 0 : -1;
        return;
    }
    clusters_give_up(node->children[0]);
    clusters_give_up(node->children[1]);
}
