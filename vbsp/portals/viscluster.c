#include "vbsp/portals/clusters.h"

#include "common/core/array.h"
#include "vbsp/csg/brush_fragment.h"
#include "vbsp/level/entity_class.h"

/* The share of a leaf that must lie in a func_viscluster. */
#define MIN_SHARE 0.1

struct share {
    struct node *key;
    double value; /* of its volume */
};

struct joiner {
    const struct compile *compile;
    struct arena arena;
    struct share *own;  /* hash map: of the func_viscluster at hand */
    struct share *best; /* hash map: of those before */
};

/* The sum of the pyramids from one point to all portals. */
static double leaf_volume(const struct plane_set *planes, const struct node *leaf)
{
    struct vec3 middle = bounds_center(&leaf->bounds);
    double volume = 0;
    for (const struct portal *portal = leaf->portals; portal; portal = portal_next(portal, leaf)) {
        double distance = plane_distance(&planes->planes[portal->plane], middle);
        double height = portal_side(portal, leaf) ? -distance : distance;
        volume += winding_area(portal->winding) * height / 3;
    }
    return volume;
}

static void push_piece(struct joiner *joiner, struct node *node, struct brush *piece)
{
    const struct plane_set *planes = &joiner->compile->planes;
    while (node->plane != PLANE_LEAF) {
        struct brush *front, *back;
        brush_fragment_cut(&joiner->arena, planes, piece, node->plane, &front, &back);
        if (!front && !back)
            return;
        if (front && back)
            push_piece(joiner, node->children[1], back);
        piece = front ? front : back;
        node = node->children[!front];
    }
    double whole = leaf_is_open(node) ? leaf_volume(planes, node) : 0;
    if (whole <= 0)
        return;
    ptrdiff_t at = hmgeti(joiner->own, node);
    double before = at < 0 ? 0 : joiner->own[at].value;
    hmput(joiner->own, node, before + brush_fragment_volume(planes, piece) / whole);
}

static struct brush *make_pieces(struct joiner *joiner, const struct compile_entity *entity)
{
    struct brush *pieces = NULL;
    for (size_t i = 0; i < arrlenu(entity->brushes); i++) {
        const struct map_brush *brush = joiner->compile->brushes[entity->brushes[i]];
        struct brush *piece = brush_fragment_new(&joiner->arena, brush, true);
        piece->next = pieces;
        pieces = piece;
    }
    return csg_chop(&joiner->arena, &joiner->compile->planes, pieces);
}

static void join(struct joiner *joiner, struct tree *tree, int entity)
{
    struct brush *pieces = make_pieces(joiner, &joiner->compile->entities[entity]);
    for (struct brush *piece = pieces, *next; piece; piece = next) {
        next = piece->next;
        push_piece(joiner, tree->root, piece);
    }
    for (ptrdiff_t i = 0; i < hmlen(joiner->own); i++) {
        struct node *leaf = joiner->own[i].key;
        double share = joiner->own[i].value;
        ptrdiff_t at = hmgeti(joiner->best, leaf);
        if (share <= MIN_SHARE || (at >= 0 && joiner->best[at].value >= share))
            continue;
        leaf->viscluster = entity;
        hmput(joiner->best, leaf, share);
    }
    hmfree(joiner->own);
    joiner->own = NULL;
    arena_reset(&joiner->arena);
}

static void report_idle(const struct joiner *joiner)
{
    const struct compile *compile = joiner->compile;
    bool *used = NULL;
    for (size_t i = 0; i < arrlenu(compile->entities); i++)
        arrput(used, false);
    for (ptrdiff_t i = 0; i < hmlen(joiner->best); i++)
        used[joiner->best[i].key->viscluster] = true;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct map_entity *map_entity = compile->entities[i].map_entity;
        if (used[i] || compile->entities[i].use != USE_VISCLUSTER)
            continue;
        struct diag_where where = map_where(compile->level, map_entity, NULL, NULL);
        diag_report(compile->env->diag, DIAG_VISCLUSTER, &where,
                    "it contains no more than a tenth of any visleaf");
    }
    arrfree(used);
}

void viscluster_find(const struct compile *compile, struct tree *tree)
{
    struct joiner joiner = {.compile = compile};
    for (int i = 1; i < (int)arrlen(compile->entities); i++)
        if (compile->entities[i].use == USE_VISCLUSTER)
            join(&joiner, tree, i);
    report_idle(&joiner);
    hmfree(joiner.best);
    arena_free(&joiner.arena);
}
