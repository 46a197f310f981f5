/* Makes faces from portals.
 *
 * A portal makes a face for an adjacent leaf if the visible contents of its two leaves differ, the
 * leaf is not solid, and the brush side that separates them (portal_find_parts) is drawn. Where
 * several sides cover a portal, each part of it is a face. A leaf inside those contents sees the
 * side from behind: glass and grates show nothing there, water shows its bottom material if it has
 * one, and everything else, slime too, shows the same face as from outside. */
#include "vbsp/target/source/faces/face.h"

#include "common/core/array.h"
#include "vbsp/portals/portals.h"
#include "vbsp/target/source/materials/material_patch.h"

struct face *face_new(struct arena *arena)
{
    struct face *face = ARENA_NEW(arena, struct face);
    face->number = -1;
    return face;
}

void face_list_add(struct face_list *list, struct face *face)
{
    if (!list->end)
        list->end = &list->first;
    *list->end = face;
    list->end = &face->next;
    face->next = NULL;
}

void face_final(struct face *face, face_visit *visit, void *context)
{
    while (face->merged)
        face = face->merged;
    if (!face->split[0]) {
        visit(context, face);
        return;
    }
    face_final(face->split[0], visit, context);
    face_final(face->split[1], visit, context);
}

void face_list_final(struct face *list, face_visit *visit, void *context)
{
    for (struct face *face = list; face; face = face->next)
        if (!face->merged)
            face_final(face, visit, context);
}

static void free_outline(void *context, struct face *face)
{
    (void)context;
    arrfree(face->vertices);
    face->vertices = NULL;
}

void face_list_free_outlines(struct face *list)
{
    face_list_final(list, free_outline, NULL);
}

/* The texinfo of a side of water seen from inside, or -1 if it is not drawn. */
static int bottom_texinfo(struct compile *compile, const struct brush_side *side)
{
    const char *bottom = side->material->bottom_material;
    if (!bottom)
        return -1;
    const struct material *material = material_patch_find(compile, bottom);
    return texinfo_with_material(&compile->texinfos, side->texinfo, material);
}

/* The texinfo with which `near` sees the side, or -1. */
static int texinfo_from(struct compile *compile, const struct brush_side *side, int near, int far)
{
    if (!side || side->texinfo == TEXINFO_NODE || (side->flags & FACE_NOT_DRAWN))
        return -1;
    int inside = contents_visible(near ^ far) & near;
    if (inside & (CONTENTS_WINDOW | CONTENTS_GRATE))
        return -1;
    if (inside & CONTENTS_WATER)
        return bottom_texinfo(compile, side);
    return side->texinfo;
}

static struct face *face_of_part(struct compile *compile, struct tree *tree,
                                 const struct portal *portal, const struct portal_part *part,
                                 int looker)
{
    const struct node *near = portal->nodes[looker], *far = portal->nodes[!looker];
    int texinfo = texinfo_from(compile, part->side, near->contents, far->contents);
    if (texinfo < 0)
        return NULL;
    struct face *face = face_new(&tree->arena);
    face->plane = portal->plane ^ looker;
    face->texinfo = texinfo;
    face->contents = near->contents;
    face->side = part->side;
    if (face->side->map_side)
        face->smoothing_groups = face->side->map_side->smoothing_groups;
    face->winding = looker ? winding_reverse(&tree->arena, part->winding) : part->winding;
    face->on_node = true;
    return face;
}

static void list_in_leaf(struct tree *tree, struct node *leaf, struct face *face)
{
    struct leaf_item *item = ARENA_NEW(&tree->arena, struct leaf_item);
    item->face = face;
    item->next = leaf->leaf_faces;
    leaf->leaf_faces = item;
}

static void add_faces_of_portal(struct compile *compile, struct tree *tree, struct node *leaf,
                                struct portal *portal, struct portal_part **parts)
{
    portal_find_parts(compile, &tree->arena, portal, parts);
    for (size_t i = 0; i < arrlenu(*parts); i++) {
        int looker = portal_side(portal, leaf);
        struct face *face = face_of_part(compile, tree, portal, &(*parts)[i], looker);
        if (!face)
            continue;
        face->next = portal->on_node->faces;
        portal->on_node->faces = face;
        list_in_leaf(tree, leaf, face);
    }
}

static void make_faces(struct compile *compile, struct tree *tree, struct node *node,
                       struct portal_part **parts)
{
    if (node->plane != PLANE_LEAF) {
        node->faces = NULL;
        make_faces(compile, tree, node->children[0], parts);
        make_faces(compile, tree, node->children[1], parts);
        return;
    }
    node->leaf_faces = NULL;
    if (node->contents & CONTENTS_SOLID)
        return;
    for (struct portal *portal = node->portals; portal; portal = portal_next(portal, node))
        if (portal->on_node)
            add_faces_of_portal(compile, tree, node, portal, parts);
}

void faces_make(struct compile *compile, struct tree *tree)
{
    struct portal_part *parts = NULL; /* stb_ds array */
    make_faces(compile, tree, tree->root, &parts);
    arrfree(parts);
}
