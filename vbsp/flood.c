#include "vbsp/flood.h"

#include <string.h>

#include "common/core/array.h"
#include "vbsp/portals.h"

static bool place(struct compile *compile, struct tree *tree, int entity, struct vec3 point,
                  struct node ***queue)
{
    struct node *leaf = tree_leaf_at(tree, compile->planes.planes, point);
    if (!leaf_is_open(leaf))
        return false;
    if (!leaf->occupied) {
        leaf->occupied = 1;
        leaf->occupant = entity;
        arrput(*queue, leaf);
    }
    return true;
}

/* A player's start that is sunk into a floor or a wall by its centre still counts: its hull has
 * width. */
static bool place_player(struct compile *compile, struct tree *tree, int entity, struct vec3 point,
                         struct node ***queue)
{
    for (int i = 0; i < 9; i++) {
        struct vec3 moved = vec3_add(point, vec3(16.0 * (i % 3 - 1), 16.0 * (i / 3 - 1), 0));
        if (place(compile, tree, entity, moved, queue))
            return true;
    }
    return false;
}

static int place_entities(struct compile *compile, struct tree *tree, struct node ***queue)
{
    int placed = 0;
    for (int i = 1; i < (int)arrlen(compile->entities); i++) {
        const struct entity *keys = &compile->entities[i].source->keys;
        struct vec3 origin;
        if (!entity_vector(keys, "origin", &origin) || vec3_length(origin) == 0)
            continue;
        origin.z += 1; /* off the floor that it stands on */
        bool in = place(compile, tree, i, origin, queue);
        if (!in && entity_is(keys, "info_player_start"))
            in = place_player(compile, tree, i, origin, queue);
        placed += in;
    }
    return placed;
}

/* Breadth first, so that `occupied` grows by one a portal and the trail back is a shortest one. */
static void spread(struct node **queue)
{
    for (size_t i = 0; i < arrlenu(queue); i++) {
        struct node *leaf = queue[i];
        for (struct portal *portal = leaf->portals; portal; portal = portal_next(portal, leaf)) {
            struct node *next = portal->nodes[!portal_side(portal, leaf)];
            if (next->occupied || !leaf_is_open(next))
                continue;
            next->occupied = leaf->occupied + 1;
            next->occupant = leaf->occupant;
            arrput(queue, next);
        }
    }
    arrfree(queue);
}

static struct portal *portal_towards_entity(struct node *leaf)
{
    for (struct portal *portal = leaf->portals; portal; portal = portal_next(portal, leaf)) {
        const struct node *next = portal->nodes[!portal_side(portal, leaf)];
        if (next->occupied && next->occupied == leaf->occupied - 1)
            return portal;
    }
    return NULL;
}

static void trace_leak(struct compile *compile, struct tree *tree, struct flood *flood)
{
    flood->leaks = true;
    flood->entity = tree->outside.occupant;
    flood->hole_area = DBL_MAX;
    for (struct node *leaf = &tree->outside; leaf->occupied > 1;) {
        struct portal *portal = portal_towards_entity(leaf);
        struct vec3 center = winding_center(portal->winding);
        double area = winding_area(portal->winding);
        arrput(flood->trail, center);
        if (area < flood->hole_area) {
            flood->hole_area = area;
            flood->hole = center;
        }
        leaf = portal->nodes[!portal_side(portal, leaf)];
    }
    struct vec3 origin = vec3(0, 0, 0);
    (void)entity_vector(&compile->entities[flood->entity].source->keys, "origin", &origin);
    arrput(flood->trail, origin);
}

void flood_from_entities(struct compile *compile, struct tree *tree, struct flood *flood)
{
    *flood = (struct flood){0};
    struct node **queue = NULL;
    flood->placed = place_entities(compile, tree, &queue);
    spread(queue);
    if (tree->outside.occupied)
        trace_leak(compile, tree, flood);
}

void flood_free(struct flood *flood)
{
    arrfree(flood->trail);
}

static double distance_to_box(const struct bounds *box, struct vec3 point)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double out = fmax(fmax(box->mins.e[i] - point.e[i], point.e[i] - box->maxs.e[i]), 0);
        sum += out * out;
    }
    return sqrt(sum);
}

enum { NEAREST = 3 };

/* "12, 14 and 15": the ids of the world's solids nearest to the hole. */
static const char *name_nearest(const struct compile *compile, struct vec3 hole,
                                struct arena *arena)
{
    const struct map_brush *nearest[NEAREST] = {NULL};
    double distances[NEAREST];
    int count = 0;
    for (size_t i = 0; i < arrlenu(compile->brushes); i++) {
        const struct map_brush *brush = compile->brushes[i];
        if (brush->entity != 0 || (brush->contents & CONTENTS_DETAIL))
            continue;
        double distance = distance_to_box(&brush->bounds, hole);
        int at = count;
        while (at > 0 && distances[at - 1] > distance)
            at--;
        if (at == NEAREST)
            continue;
        if (count < NEAREST)
            count++;
        for (int j = count - 1; j > at; j--) {
            nearest[j] = nearest[j - 1];
            distances[j] = distances[j - 1];
        }
        nearest[at] = brush;
        distances[at] = distance;
    }
    const char *text = "none";
    for (int i = 0; i < count; i++) {
        struct diag_where where = brush_where(compile, nearest[i], NULL);
        const char *id = arena_printf(arena, "%d", where.solid_id);
        if (where.placed_by)
            id = arena_printf(arena, "%s (of %s)", id, where.file);
        text =
            i == 0 ? id : arena_printf(arena, "%s%s%s", text, i + 1 < count ? ", " : " and ", id);
    }
    return text;
}

void flood_report_leak(const struct compile *compile, const struct flood *flood)
{
    const struct compile_entity *entity = &compile->entities[flood->entity];
    struct diag_where where = map_where(compile->source, entity->source, NULL, NULL);
    where.has_point = true;
    memcpy(where.point, flood->hole.e, sizeof where.point);
    struct arena scratch = {0};
    diag_report(compile->env->diag, DIAG_LEAK, &where,
                "the outside reaches %s at (%g %g %g); the narrowest place on the way is at "
                "(%.6g %.6g %.6g), %.6g square units, beside the solids %s",
                entity_value(&entity->source->keys, "classname"), arrlast(flood->trail).x,
                arrlast(flood->trail).y, arrlast(flood->trail).z, flood->hole.x, flood->hole.y,
                flood->hole.z, flood->hole_area, name_nearest(compile, flood->hole, &scratch));
    arena_free(&scratch);
}

static int fill(struct node *node)
{
    if (node->plane != PLANE_LEAF)
        return fill(node->children[0]) + fill(node->children[1]);
    if (node->occupied || !leaf_is_open(node))
        return 0;
    node->contents = CONTENTS_SOLID;
    return 1;
}

int flood_fill_outside(struct tree *tree)
{
    tree->outside.contents = CONTENTS_SOLID;
    return fill(tree->root);
}

/* Sides of map brushes are shared by all pieces: visible is set where any portal shows one. */
static void mark(struct compile *compile, struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        mark(compile, node->children[0]);
        mark(compile, node->children[1]);
        return;
    }
    for (struct portal *portal = node->portals; portal; portal = portal_next(portal, node)) {
        if (portal->nodes[0] != node || !portal->on_node)
            continue;
        if (!portal->side_searched)
            portal_find_side(compile, portal);
        if (portal->side)
            ((struct brush_side *)portal->side)->visible = true;
    }
}

void flood_mark_visible_sides(struct compile *compile, struct tree *tree, const int *brushes)
{
    for (size_t i = 0; i < arrlenu(brushes); i++) {
        struct map_brush *brush = compile->brushes[brushes[i]];
        for (int j = 0; j < brush->side_count; j++)
            brush->sides[j].visible = false;
    }
    mark(compile, tree->root);
}
