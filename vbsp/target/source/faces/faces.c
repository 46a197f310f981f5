/* Makes faces from portals, and those of detail brushes.
 *
 * A portal makes a face for an adjacent leaf if the visible contents of its two leaves differ, the
 * leaf is not solid, and the brush side that separates them (portal_find_parts) is drawn. Where
 * several sides cover a portal, each part of it is a face. A leaf inside those contents sees the
 * side from behind: glass and grates show nothing there, water shows its bottom material if it has
 * one, and everything else, slime too, shows the same face as from outside. */
#include "vbsp/target/source/faces/face.h"

#include "common/core/array.h"
#include "common/geom/epsilon.h"
#include "vbsp/csg/brush_fragment.h"
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

/* --- detail brushes --- */

/* Faces of detail brushes: they are on no node, so the leaves that they touch list them.
 *
 * A detail brush does not split the tree. Its faces are taken whole, clipped by detail brushes that
 * cover them from the other side, and filtered into the tree; those that reach no open leaf are not
 * drawn. */

enum { SEEN_THROUGH = CONTENTS_WINDOW | CONTENTS_GRATE | CONTENTS_TRANSLUCENT };

/* The visible sides of all fragments by plane, to find opposite ones. */
struct covering {
    int key;                    /* plane */
    const struct brush **value; /* stb_ds array */
};

static struct covering *find_coverings(struct brush *fragments)
{
    struct covering *coverings = NULL;
    for (const struct brush *fragment = fragments; fragment; fragment = fragment->next) {
        bool seen = contents_visible(fragment->original->contents) != 0;
        for (int i = 0; i < fragment->side_count && seen; i++) {
            if (fragment->sides[i].bevel)
                continue;
            int plane = fragment->sides[i].plane;
            ptrdiff_t at = hmgeti(coverings, plane);
            if (at < 0) {
                struct covering covering = {.key = plane};
                hmputs(coverings, covering);
                at = hmgeti(coverings, plane);
            }
            arrput(coverings[at].value, fragment);
        }
    }
    return coverings;
}

static void free_coverings(struct covering *coverings)
{
    for (ptrdiff_t i = 0; i < hmlen(coverings); i++)
        arrfree(coverings[i].value);
    hmfree(coverings);
}

/* The part of the winding not covered by a fragment with an opposite side. NULL: nothing. The whole
 * winding if they do not overlap, or if the rest would be more than one part. */
static struct winding *uncovered(struct arena *arena, const struct plane_set *planes,
                                 struct winding *winding, const struct brush *fragment, int plane)
{
    int parts = 0;
    struct winding *inside = winding, *left = NULL;
    for (int i = 0; i < fragment->side_count && inside; i++) {
        if (fragment->sides[i].bevel || (fragment->sides[i].plane & ~1) == (plane & ~1))
            continue;
        const struct plane *side = &planes->planes[fragment->sides[i].plane];
        struct winding *outside;
        winding_clip(arena, inside, side, EPSILON_SPLIT, &outside, &inside);
        if (outside && !winding_is_tiny(outside)) {
            parts++;
            left = outside;
        }
    }
    return inside && parts < 2 ? left : winding;
}

/* Clips the parts that other fragments cover; a face that would fall apart is kept whole. False
 * when nothing is left. */
static bool clip_by_neighbours(struct arena *arena, const struct plane_set *planes,
                               const struct brush *own, struct covering *coverings,
                               struct face *face)
{
    ptrdiff_t at = hmgeti(coverings, face->plane ^ 1);
    size_t count = at < 0 ? 0 : arrlenu(coverings[at].value);
    bool opaque = !(own->original->contents & SEEN_THROUGH);
    for (size_t i = 0; i < count; i++) {
        const struct brush *fragment = coverings[at].value[i];
        if (fragment == own || (opaque && (fragment->original->contents & SEEN_THROUGH)))
            continue;
        struct bounds bounds = winding_bounds(face->winding);
        if (!bounds_touch(&bounds, &fragment->bounds, EPSILON_SPLIT))
            continue;
        face->winding = uncovered(arena, planes, face->winding, fragment, face->plane);
        if (!face->winding)
            return false;
    }
    return true;
}

static struct face *face_of_side(struct arena *arena, const struct brush *fragment,
                                 const struct brush_side *side)
{
    if (side->bevel || !side->winding || side->texinfo == TEXINFO_NODE ||
        (side->flags & FACE_NOT_DRAWN) || winding_is_tiny(side->winding))
        return NULL;
    struct face *face = face_new(arena);
    face->plane = side->plane;
    face->texinfo = side->texinfo;
    face->contents = fragment->original->contents;
    face->winding = side->winding;
    face->side = side->original;
    face->brush = fragment->original;
    if (face->side->map_side)
        face->smoothing_groups = face->side->map_side->smoothing_groups;
    return face;
}

static struct face *make_list(const struct compile *compile, struct tree *tree,
                              struct brush *fragments)
{
    struct covering *coverings = find_coverings(fragments);
    struct face_list list = {0};
    for (const struct brush *fragment = fragments; fragment; fragment = fragment->next) {
        for (int i = 0; i < fragment->side_count; i++) {
            struct face *face = face_of_side(&tree->arena, fragment, &fragment->sides[i]);
            if (face &&
                clip_by_neighbours(&tree->arena, &compile->planes, fragment, coverings, face))
                face_list_add(&list, face);
        }
    }
    free_coverings(coverings);
    return list.first;
}

static void push_face(const struct compile *compile, struct tree *tree, struct node *node,
                      const struct winding *winding, struct face *face)
{
    while (node->plane != PLANE_LEAF) {
        const struct plane *plane = &compile->planes.planes[node->plane];
        struct winding *parts[2];
        winding_clip(&tree->arena, winding, plane, EPSILON_SPLIT, &parts[0], &parts[1]);
        if (!parts[0] && !parts[1]) {
            /* It lies on the plane: the leaf in front sees it. */
            struct vec3 normal = compile->planes.planes[face->plane].normal;
            node = node->children[vec3_dot(plane->normal, normal) < 0];
            continue;
        }
        if (parts[0] && parts[1])
            push_face(compile, tree, node->children[1], parts[1], face);
        winding = parts[0] ? parts[0] : parts[1];
        node = node->children[!parts[0]];
    }
    if ((node->contents & CONTENTS_SOLID) || winding_is_tiny(winding))
        return;
    if (node->leaf_faces && node->leaf_faces->face == face)
        return;
    struct leaf_item *item = ARENA_NEW(&tree->arena, struct leaf_item);
    item->face = face;
    item->next = node->leaf_faces;
    node->leaf_faces = item;
    face->in_leaf = true;
}

/* Adds the face to the lists of the open leaves that its winding touches. */
static void face_list_in_leaves(const struct compile *compile, struct tree *tree, struct face *face)
{
    push_face(compile, tree, tree->root, face->winding, face);
}

struct push_ctx {
    const struct compile *compile;
    struct tree *tree;
};

static void push_final(void *context, struct face *face)
{
    const struct push_ctx *ctx = context;
    face_list_in_leaves(ctx->compile, ctx->tree, face);
}

struct face *faces_make_detail(struct compile *compile, struct tree *tree, struct brush *fragments)
{
    struct face *list = make_list(compile, tree, fragments);
    if (!compile->options->no_merge)
        face_list_merge(compile, &tree->arena, &list);
    if (!compile->options->no_subdiv)
        face_list_subdivide(compile, &tree->arena, list);
    struct push_ctx ctx = {compile, tree};
    face_list_final(list, push_final, &ctx);
    for (struct brush *fragment = fragments; fragment; fragment = fragment->next)
        tree_filter_fragment(tree, &compile->planes, fragment, false);
    return list;
}
