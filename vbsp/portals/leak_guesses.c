#include "vbsp/portals/leak_guesses.h"

#include <string.h>

#include "common/core/array.h"
#include "common/diag/codes/missing_materials.def"
#include "vbsp/csg/brush_make.h"
#include "vbsp/portals/leak_path.h"

/* Water is not in question: a name of water is hardly ever that of a wall. */
#define GUESSED      (CONTENTS_WINDOW | CONTENTS_GRATE)
#define SEEN_THROUGH (GUESSED | CONTENTS_SLIME | CONTENTS_WATER)

/* A material that the outside reaches the inside through. */
struct refuted {
    const struct material *key;
    struct refutation {
        const struct map_brush *brush; /* the first of them */
        struct vec3 point;             /* where it adjoins the outside */
        int brushes;
    } value;
};

struct doors {
    struct compile *compile;
    struct leak_leaf *outside; /* what the outside reaches through no door */
    struct refuted *refuted;   /* stb_ds hash map */
};

static bool is_guess(const struct material *material)
{
    return material && material->guessed && (material->contents & GUESSED);
}

/* True for a brush that is see-through by guesses alone. */
static bool is_guessed(const struct map_brush *brush)
{
    bool guessed = false;
    if (!(brush->contents & GUESSED) || (brush->contents & CONTENTS_SOLID))
        return false;
    for (int i = 0; i < brush->side_count; i++) {
        const struct brush_side *side = &brush->sides[i];
        if (!side->map_side || !(side->contents & SEEN_THROUGH))
            continue;
        if (!is_guess(side->material))
            return false;
        guessed = true;
    }
    return guessed;
}

/* The guessed brush that fills an open leaf, or NULL. */
static const struct map_brush *door_of(const struct node *leaf)
{
    if (!(leaf->contents & GUESSED) || !leaf_is_open(leaf))
        return NULL;
    for (const struct brush *fragment = leaf->brushes; fragment; fragment = fragment->next)
        if (is_guessed(fragment->original))
            return fragment->original;
    return NULL;
}

static bool is_passable(const void *context, const struct portal *portal, const struct node *next)
{
    const struct doors *doors = context;
    return leaf_is_open(next) && !door_of(next) && !sliver_covers(&doors->compile->planes, portal);
}

/* True if the leaf is the source of a flood: the only kind that is occupied by 1. */
static bool reaches_entity(const struct leak_leaf *leaves)
{
    for (size_t i = 0; i < hmlenu(leaves); i++)
        if (leaves[i].key->occupied == 1)
            return true;
    return false;
}

static void add_refuted(struct doors *doors, const struct map_brush *brush, struct vec3 point)
{
    for (int i = 0; i < brush->side_count; i++) {
        const struct material *material = brush->sides[i].material;
        if (!brush->sides[i].map_side || !is_guess(material) ||
            hmgeti(doors->refuted, material) >= 0)
            continue;
        hmput(doors->refuted, material, ((struct refutation){.brush = brush, .point = point}));
    }
}

/* The portal by which a door adjoins the outside, or NULL. */
static const struct portal *way_out(struct doors *doors, const struct node *door)
{
    for (const struct portal *portal = door->portals; portal; portal = portal_next(portal, door))
        if (hmgeti(doors->outside, portal->nodes[!portal_side(portal, door)]) >= 0 &&
            !sliver_covers(&doors->compile->planes, portal))
            return portal;
    return NULL;
}

/* True if the flood may go on from the leaf: not from a door to the outside, which is refuted. */
static bool pass_leaf(struct doors *doors, const struct node *leaf)
{
    const struct map_brush *brush = door_of(leaf);
    const struct portal *out = brush ? way_out(doors, leaf) : NULL;
    if (out)
        add_refuted(doors, brush, winding_center(out->winding));
    return !out;
}

static void list_seeds(struct node *node, struct node ***queue, struct leak_leaf **seen)
{
    if (node->plane != PLANE_LEAF) {
        list_seeds(node->children[0], queue, seen);
        list_seeds(node->children[1], queue, seen);
    } else if (node->occupied == 1) {
        arrput(*queue, node);
        hmput(*seen, node, true);
    }
}

/* Floods from the entities up to the outside. */
static void find_refuted(struct doors *doors, struct tree *tree)
{
    const struct plane_set *planes = &doors->compile->planes;
    struct node **queue = NULL;
    struct leak_leaf *seen = NULL;
    list_seeds(tree->root, &queue, &seen);
    for (size_t i = 0; i < arrlenu(queue); i++) {
        struct node *leaf = queue[i];
        if (!pass_leaf(doors, leaf))
            continue;
        for (struct portal *portal = leaf->portals; portal; portal = portal_next(portal, leaf)) {
            struct node *next = portal->nodes[!portal_side(portal, leaf)];
            if (!leaf_is_open(next) || hmgeti(seen, next) >= 0 || sliver_covers(planes, portal))
                continue;
            hmput(seen, next, true);
            arrput(queue, next);
        }
    }
    arrfree(queue);
    hmfree(seen);
}

/* --- what changes --- */

static struct material *opaque_copy(struct compile *compile, const struct material *guessed)
{
    struct material *material = ARENA_NEW(&compile->arena, struct material);
    *material = *guessed;
    material->contents = CONTENTS_SOLID;
    material->surface_flags &= ~SURFACE_TRANS;
    material->translucent = material->guessed = false;
    return material;
}

/* Replaces the material of the brush's sides. Returns how many sides. */
static int change_sides(struct map_brush *brush, const struct material *old,
                        const struct material *material)
{
    int changed = 0;
    for (int i = 0; i < brush->side_count; i++) {
        struct brush_side *side = &brush->sides[i];
        if (side->material != old || !side->map_side)
            continue;
        side->material = material;
        side->flags &= ~(old->surface_flags & ~material->surface_flags);
        if (side->contents & GUESSED)
            side->contents = (side->contents & ~(GUESSED | CONTENTS_TRANSLUCENT)) | CONTENTS_SOLID;
        changed++;
    }
    return changed;
}

/* As the target has it: one side that is seen through decides for the brush. */
static void change_contents(struct map_brush *brush)
{
    int seen = 0;
    for (int i = 0; i < brush->side_count; i++)
        seen |= brush->sides[i].map_side ? brush->sides[i].contents & SEEN_THROUGH : 0;
    if (seen || !(brush->contents & GUESSED))
        return;
    brush->contents &= ~(GUESSED | CONTENTS_TRANSLUCENT);
    brush->contents |= CONTENTS_SOLID;
    for (int i = 0; i < brush->side_count; i++)
        if (!brush->sides[i].map_side)
            brush->sides[i].contents = brush->contents;
}

static int change_brushes(struct map_brush *const *brushes, const struct material *old,
                          const struct material *material)
{
    int changed = 0;
    for (size_t i = 0; i < arrlenu(brushes); i++)
        if (change_sides(brushes[i], old, material)) {
            change_contents(brushes[i]);
            changed++;
        }
    return changed;
}

static void withdraw(struct compile *compile, struct refuted *refuted)
{
    struct material *material = opaque_copy(compile, refuted->key);
    refuted->value.brushes = change_brushes(compile->brushes, refuted->key, material) +
                             change_brushes(compile->displacement_brushes, refuted->key, material);
    texinfo_replace_material(&compile->texinfos, refuted->key, material);
}

static void report_refuted(const struct compile *compile, const struct refuted *refuted)
{
    struct diag_where where = brush_where(compile, refuted->value.brush, NULL);
    int brushes = refuted->value.brushes;
    where.has_point = true;
    memcpy(where.point, refuted->value.point.e, sizeof where.point);
    (void)diag_report(compile->env->diag, DIAG_GUESS_WITHDRAWN, &where,
                      "\"%s\" is opaque, on %d brush%s: its name tells of something see-through, "
                      "but through solid %s with it the world would leak",
                      refuted->key->name, brushes, brushes == 1 ? "" : "es",
                      diag_solid_number(&where).text);
}

bool leak_guesses_withdraw(struct compile *compile, struct tree *tree)
{
    struct doors doors = {.compile = compile};
    const struct leak_path_search search = {.passable = is_passable, .context = &doors};
    doors.outside = leak_path_reachable(&search, &tree->outside, NULL, NULL);
    if (!reaches_entity(doors.outside))
        find_refuted(&doors, tree);
    bool found = hmlen(doors.refuted) > 0;
    for (size_t i = 0; i < hmlenu(doors.refuted); i++) {
        withdraw(compile, &doors.refuted[i]);
        report_refuted(compile, &doors.refuted[i]);
    }
    hmfree(doors.refuted);
    hmfree(doors.outside);
    return found;
}
