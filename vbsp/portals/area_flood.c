#include "common/core/array.h"
#include "vbsp/portals/area_portals.h"

int area_portal_of(const struct node *leaf)
{
    if (!(leaf->contents & CONTENTS_AREAPORTAL) || !leaf_is_open(leaf))
        return 0;
    int number = 0;
    for (const struct brush *piece = leaf->brushes; piece; piece = piece->next) {
        const struct map_brush *brush = piece->original;
        int own = brush->area_portal;
        if ((brush->contents & CONTENTS_AREAPORTAL) && own > 0 && (!number || own < number))
            number = own;
    }
    return number;
}

struct finder {
    struct areas *areas;
};

static void touch(struct area_portal *portal, int area)
{
    if (portal->areas[0] == area || portal->areas[1] == area)
        return;
    if (!portal->areas[0])
        portal->areas[0] = area;
    else if (!portal->areas[1])
        portal->areas[1] = area;
    else
        portal->crowded = true;
}

/* Stops at the leaves of areaportals, which learn what reached them. */
static void flood(struct finder *finder, struct node *leaf)
{
    int area = finder->areas->count++;
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
                touch(&finder->areas->portals[number], area);
                continue;
            }
            next->area = area;
            arrput(queue, next);
        }
    }
    arrfree(queue);
}

static void find(struct finder *finder, struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        find(finder, node->children[0]);
        find(finder, node->children[1]);
    } else if (!node->area && node->occupied && leaf_is_open(node) && !area_portal_of(node)) {
        flood(finder, node);
    }
}

/* An areaportal that nothing reaches but other areaportals is a place of its own. */
static void settle(struct finder *finder, struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        settle(finder, node->children[0]);
        settle(finder, node->children[1]);
        return;
    }
    int number = area_portal_of(node);
    if (!number || !node->occupied)
        return;
    struct area_portal *portal = &finder->areas->portals[number];
    portal->placed = true;
    if (!portal->areas[0])
        portal->areas[0] = finder->areas->count++;
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
    struct finder finder = {areas};
    find(&finder, tree->root);
    settle(&finder, tree->root);
}

void areas_free(struct areas *areas)
{
    arrfree(areas->portals);
}
