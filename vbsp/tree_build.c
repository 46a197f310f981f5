/* Choosing splitters and cutting: each node takes the side plane that serves its pieces best. */
#include "vbsp/tree_build.h"

#include <limits.h>
#include <stdlib.h>

#include "common/geom/epsilon.h"
#include "vbsp/brush_piece.h"

/* The score of a splitter: shared planes are good, cuts and imbalance are bad. */
enum {
    SCORE_SHARED = 5,          /* a piece has a side on the plane */
    SCORE_CUT = -5,            /* the plane cuts a side that can be seen */
    SCORE_AXIAL = 5,           /* axial planes keep boxes tight */
    SCORE_SLIVER = -1000,      /* it leaves less than a unit of a piece */
    SCORE_TRANSLUCENT = -500,  /* glass should not cut the walls around it */
    SCORE_CUT_HINT = -9999999, /* hints are cut by hints only: the mapper put them where they are */
    SCORE_WATER = 9999999,     /* first: a leaf is above or below the surface, not both */
};

/* A box that crosses a plane by less than this does not cross it. */
#define BOX_EPSILON 0.001
/* What a plane may leave of a piece before it counts as a sliver. */
#define SLIVER 1.0

enum where { IN_FRONT = 1, BEHIND = 2, ACROSS = 3, FACING = 4 };

struct fit {
    int where;
    int cuts;
    bool sliver, cuts_hint;
};

struct builder {
    struct arena *arena, scratch;
    const struct plane_set *planes;
    struct tree_stats *stats;
    int searches; /* for a splitter, so far */
};

struct node *tree_node_new(struct arena *arena, struct node *parent, int plane)
{
    struct node *node = ARENA_NEW(arena, struct node);
    node->parent = parent;
    node->plane = plane;
    node->bounds = bounds_empty();
    node->cluster = -1;
    node->occupant = -1;
    node->water_data = -1;
    return node;
}

struct node *tree_leaf_new(struct arena *arena, struct node *parent)
{
    return tree_node_new(arena, parent, PLANE_LEAF);
}

static int box_side(const struct bounds *box, const struct plane *plane)
{
    double near = 0, far = 0;
    for (int i = 0; i < 3; i++) {
        double n = plane->normal.e[i];
        far += n * (n > 0 ? box->maxs.e[i] : box->mins.e[i]);
        near += n * (n > 0 ? box->mins.e[i] : box->maxs.e[i]);
    }
    int side = 0;
    if (far > plane->dist + BOX_EPSILON)
        side |= IN_FRONT;
    if (near < plane->dist - BOX_EPSILON)
        side |= BEHIND;
    return side;
}

static void measure_cuts(const struct brush *piece, const struct plane *plane, struct fit *fit)
{
    double ahead = 0, behind = 0;
    for (int i = 0; i < piece->side_count; i++) {
        const struct brush_side *side = &piece->sides[i];
        if (side_is_on_node(side) || !side->visible || !side->winding)
            continue;
        double front = 0, back = 0;
        for (int j = 0; j < side->winding->count; j++) {
            double d = plane_distance(plane, side->winding->points[j]);
            front = d > front ? d : front;
            back = d < back ? d : back;
        }
        ahead = front > ahead ? front : ahead;
        behind = back < behind ? back : behind;
        if (front > EPSILON_SPLIT && back < -EPSILON_SPLIT && !(side->flags & SURFACE_SKIP)) {
            fit->cuts++;
            fit->cuts_hint |= (side->flags & SURFACE_HINT) != 0;
        }
    }
    fit->sliver =
        (ahead > EPSILON_NOISE && ahead < SLIVER) || (behind < -EPSILON_NOISE && behind > -SLIVER);
}

/* How a plane (an even number) lies to a piece. */
static struct fit fit_plane(const struct plane_set *planes, const struct brush *piece, int plane)
{
    struct fit fit = {0};
    for (int i = 0; i < piece->side_count; i++) {
        if ((piece->sides[i].plane & ~1) == plane) {
            fit.where = FACING | (piece->sides[i].plane == plane ? BEHIND : IN_FRONT);
            return fit;
        }
    }
    fit.where = box_side(&piece->bounds, &planes->planes[plane]);
    if (fit.where == ACROSS)
        measure_cuts(piece, &planes->planes[plane], &fit);
    return fit;
}

static bool is_above(const struct node *node, int plane)
{
    for (node = node->parent; node; node = node->parent)
        if (node->plane == plane)
            return true;
    return false;
}

/* A plane that leaves one half of the node's volume empty would make a leaf of nothing. */
static bool cuts_volume(struct builder *builder, struct brush *volume, int plane)
{
    struct arena_mark mark = arena_mark(&builder->scratch);
    struct brush *front, *back;
    brush_piece_cut(&builder->scratch, builder->planes, volume, plane, &front, &back);
    bool both = front && back;
    arena_release(&builder->scratch, mark);
    return both;
}

static bool is_candidate(const struct brush_side *side, bool visible)
{
    return !side->bevel && side->winding && !side_is_on_node(side) &&
           !(side->flags & SURFACE_SKIP) && side->visible == visible;
}

/* Marks every side on the plane: it need not be tried again at this node. */
static long score_plane(const struct plane_set *planes, struct brush *pieces,
                        const struct brush_side *side, int plane, int round)
{
    int front = 0, back = 0, shared = 0, cuts = 0, slivers = 0;
    bool cuts_hint = false;
    for (struct brush *piece = pieces; piece; piece = piece->next) {
        struct fit fit = fit_plane(planes, piece, plane);
        front += (fit.where & IN_FRONT) != 0;
        back += (fit.where & BEHIND) != 0;
        cuts += fit.cuts;
        slivers += fit.sliver;
        cuts_hint |= fit.cuts_hint;
        if (!(fit.where & FACING))
            continue;
        shared++;
        for (int i = 0; i < piece->side_count; i++)
            if ((piece->sides[i].plane & ~1) == plane)
                piece->sides[i].tried = round;
    }
    if (side->contents & (CONTENTS_WATER | CONTENTS_SLIME))
        return SCORE_WATER;
    if (cuts_hint && !(side->flags & SURFACE_HINT))
        return SCORE_CUT_HINT;
    long score = SCORE_SHARED * shared + SCORE_CUT * cuts - labs(front - back);
    score += (long)SCORE_SLIVER * slivers;
    if (planes->types[plane] <= PLANE_Z)
        score += SCORE_AXIAL;
    if ((side->contents & CONTENTS_TRANSLUCENT) || (side->flags & SURFACE_TRANS))
        score += SCORE_TRANSLUCENT;
    return score;
}

static const struct brush_side *choose_splitter(struct builder *builder, const struct node *node,
                                                struct brush *pieces, struct brush *volume)
{
    int round = ++builder->searches; /* sides remember the last search that tried them */
    for (int visible = 1; visible >= 0; visible--) {
        const struct brush_side *best = NULL;
        long best_score = LONG_MIN;
        for (struct brush *piece = pieces; piece; piece = piece->next) {
            for (int i = 0; i < piece->side_count; i++) {
                struct brush_side *side = &piece->sides[i];
                if (side->tried == round || !is_candidate(side, visible))
                    continue;
                int plane = side->plane & ~1;
                if (is_above(node, plane) || !cuts_volume(builder, volume, plane))
                    continue;
                long score = score_plane(builder->planes, pieces, side, plane, round);
                if (score > best_score) {
                    best_score = score;
                    best = side;
                }
            }
        }
        if (best)
            return best;
    }
    return NULL;
}

static struct brush *push(struct brush *list, struct brush *piece)
{
    piece->next = list;
    return piece;
}

static void divide(struct builder *builder, struct brush *pieces, int plane,
                   struct brush *halves[2])
{
    halves[0] = halves[1] = NULL;
    while (pieces) {
        struct brush *piece = pieces, *front = NULL, *back = NULL;
        pieces = piece->next;
        int where = fit_plane(builder->planes, piece, plane).where;
        if (where == ACROSS) {
            brush_piece_cut(builder->arena, builder->planes, piece, plane, &front, &back);
            builder->stats->splits += front && back;
        } else if (where & IN_FRONT) {
            front = piece;
        } else {
            back = piece;
        }
        if (where & FACING)
            for (int i = 0; i < piece->side_count; i++)
                if ((piece->sides[i].plane & ~1) == plane)
                    piece->sides[i].on_node = true;
        if (front)
            halves[0] = push(halves[0], front);
        if (back)
            halves[1] = push(halves[1], back);
    }
}

/* A piece fills its leaf when all its sides are nodes above; else it ended here as a sliver. */
static bool fills_leaf(const struct brush *piece)
{
    for (int i = 0; i < piece->side_count; i++)
        if (!piece->sides[i].bevel && !side_is_on_node(&piece->sides[i]))
            return false;
    return true;
}

static struct node *finish_leaf(struct builder *builder, struct node *leaf, struct brush *pieces)
{
    leaf->brushes = pieces;
    for (const struct brush *piece = pieces; piece; piece = piece->next) {
        if ((piece->original->contents & CONTENTS_SOLID) && fills_leaf(piece)) {
            leaf->contents = CONTENTS_SOLID;
            break;
        }
        leaf->contents |= piece->original->contents;
    }
    builder->stats->leaves++;
    return leaf;
}

static struct node *build(struct builder *builder, struct node *parent, struct brush *pieces,
                          struct brush *volume)
{
    struct node *node = tree_leaf_new(builder->arena, parent);
    const struct brush_side *splitter = choose_splitter(builder, node, pieces, volume);
    if (!splitter)
        return finish_leaf(builder, node, pieces);
    builder->stats->nodes++;
    node->plane = splitter->plane & ~1;
    node->splitter = splitter->original;
    struct brush *halves[2], *volumes[2];
    divide(builder, pieces, node->plane, halves);
    brush_piece_cut(builder->arena, builder->planes, volume, node->plane, &volumes[0], &volumes[1]);
    for (int i = 0; i < 2; i++)
        node->children[i] = build(builder, node, halves[i], volumes[i]);
    return node;
}

struct node *tree_build(struct arena *arena, const struct plane_set *planes, struct brush *pieces,
                        struct brush *volume, struct tree_stats *stats)
{
    struct builder builder = {.arena = arena, .planes = planes, .stats = stats};
    struct node *root = build(&builder, NULL, pieces, volume);
    arena_free(&builder.scratch);
    return root;
}
