#include "common/core/array.h"
#include "vbsp/portals/area_portals.h"

int area_portal_of(const struct node *leaf)
{
    if (!(leaf->contents & CONTENTS_AREAPORTAL) || !leaf_is_open(leaf))
        return 0;
    int number = 0;
    for (const struct brush *fragment = leaf->brushes; fragment; fragment = fragment->next) {
        const struct map_brush *brush = fragment->original;
        int own = brush->area_portal;
        if ((brush->contents & CONTENTS_AREAPORTAL) && own > 0 && (!number || own < number))
            number = own;
    }
    return number;
}

struct area_finder {
    struct areas *areas;
};

static void add_touched_area(struct area_portal *portal, int area)
{
    if (portal->areas[0] == area || portal->areas[1] == area)
        return;
    if (!portal->areas[0])
        portal->areas[0] = area;
    else if (!portal->areas[1])
        portal->areas[1] = area;
    else
        portal->touches_more = true;
}

/* Stops at the leaves of areaportals and records the area that touches them. */
static void flood_area(struct area_finder *area_finder, struct node *leaf)
{
    int area = area_finder->areas->count++;
    struct node **queue = NULL;
    leaf->area = area;
    arrput(queue, leaf);
    for (size_t i = 0; i < arrlenu(queue); i++) {
        struct node *from = queue[i];
        for (struct portal *portal = from->portals; portal; portal = portal_next(portal, from)) {
            struct node *next = portal->nodes[!portal_side(portal, from)];
            if (next->area || !leaf_is_open(next) || !next->occupied)
                continue;
            int number = area_portal_of(next);
            if (number) {
                add_touched_area(&area_finder->areas->portals[number], area);
                continue;
            }
            next->area = area;
            arrput(queue, next);
        }
    }
    arrfree(queue);
}

static void find_areas(struct area_finder *area_finder, struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        find_areas(area_finder, node->children[0]);
        find_areas(area_finder, node->children[1]);
    } else if (!node->area && node->occupied && leaf_is_open(node) && !area_portal_of(node)) {
        flood_area(area_finder, node);
    }
}

/* An areaportal that touches only other areaportals is an area of its own. */
static void number_portal_leaves(struct area_finder *area_finder, struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        number_portal_leaves(area_finder, node->children[0]);
        number_portal_leaves(area_finder, node->children[1]);
        return;
    }
    int number = area_portal_of(node);
    if (!number || !node->occupied)
        return;
    struct area_portal *portal = &area_finder->areas->portals[number];
    portal->has_leaf = true;
    if (!portal->areas[0])
        portal->areas[0] = area_finder->areas->count++;
    node->area = portal->areas[0];
}

void areas_find(const struct compile *compile, struct tree *tree, struct areas *areas)
{
    *areas = (struct areas){.count = 1};
    const struct area_portal none = {0};
    arrput(areas->portals, none);
    for (size_t i = 0; i < arrlenu(compile->brushes); i++) {
        int number = compile->brushes[i]->area_portal;
        if (number <= 0)
            continue;
        while (arrlen(areas->portals) <= number)
            arrput(areas->portals, none);
        areas->portals[number].brush = compile->brushes[i];
    }
    struct area_finder area_finder = {areas};
    find_areas(&area_finder, tree->root);
    number_portal_leaves(&area_finder, tree->root);
}

void areas_free(struct areas *areas)
{
    arrfree(areas->portals);
}
