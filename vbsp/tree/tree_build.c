/* Choosing splitters and cutting: each node takes the side plane that serves its pieces best. */
#include "vbsp/tree/tree_build.h"

#include <limits.h>
#include <stdlib.h>

#include "common/geom/epsilon.h"
#include "vbsp/csg/brush_fragment.h"
#include "vbsp/tree/plane_side_index.h"

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

/* What a plane may leave of a piece before it counts as a sliver. */
#define SLIVER 1.0

/* Planes that a search tries before it indexes its pieces. */
enum { INDEX_FROM = 100 };

enum where { IN_FRONT = 1, BEHIND = 2, ACROSS = 3, FACING = 4 };

struct fit {
    int where;
    int cuts;
    bool sliver, cuts_hint;
};

/* How a plane lies to all pieces. */
struct fits {
    int front, back, shared, cuts, slivers;
    bool cuts_hint;
};

struct builder {
    struct arena *arena, scratch;
    struct arena volumes; /* of the nodes from the root to where the builder is */
    const struct plane_set *planes;
    struct tree_stats *stats;
    int searches;                   /* for a splitter, so far */
    int tried;                      /* planes of this search */
    struct plane_side_index *index; /* of this search, once it has tried some; NULL before */
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

/* Most planes are axial, and of those the normal of the even one looks up the axis. */
static int box_side(const struct bounds *box, const struct plane *plane, enum plane_type type)
{
    double near = 0, far = 0;
    if (type <= PLANE_Z) {
        near = box->mins.e[type];
        far = box->maxs.e[type];
    }
    for (int i = 0; i < 3 && type > PLANE_Z; i++) {
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
    int on = brush_fragment_side_on(piece, plane);
    if (on >= 0) {
        fit.where = FACING | (piece->sides[on].plane == plane ? BEHIND : IN_FRONT);
        return fit;
    }
    fit.where = box_side(&piece->bounds, &planes->planes[plane], planes->types[plane]);
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
    return brush_fragment_is_cut(&builder->scratch, builder->planes, volume, plane);
}

static bool is_candidate(const struct brush_side *side, bool visible)
{
    return !side->bevel && side->winding && !side_is_on_node(side) &&
           !(side->flags & SURFACE_SKIP) && side->visible == visible;
}

static bool has_candidate(const struct brush *pieces)
{
    for (; pieces; pieces = pieces->next)
        for (int i = 0; i < pieces->side_count; i++)
            if (is_candidate(&pieces->sides[i], pieces->sides[i].visible))
                return true;
    return false;
}

/* Marks every side on the plane: it need not be tried again at this node. */
static void add_fit(struct builder *builder, struct brush *piece, int plane, struct fits *fits)
{
    struct fit fit = fit_plane(builder->planes, piece, plane);
    fits->front += (fit.where & IN_FRONT) != 0;
    fits->back += (fit.where & BEHIND) != 0;
    fits->cuts += fit.cuts;
    fits->slivers += fit.sliver;
    fits->cuts_hint |= fit.cuts_hint;
    if (!(fit.where & FACING))
        return;
    fits->shared++;
    for (int i = 0; i < piece->side_count; i++)
        if ((piece->sides[i].plane & ~1) == plane)
            piece->sides[i].tried = builder->searches;
}

/* A piece that has no side on an axial plane and does not cross it, as nearly all: it is counted.
 */
static bool is_aside(const struct plane_set *planes, const struct brush *piece, int plane,
                     struct fits *fits)
{
    enum plane_type axis = planes->types[plane];
    if (axis > PLANE_Z || (piece->plane_bits & plane_bit(plane)))
        return false;
    int where = box_side(&piece->bounds, &planes->planes[plane], axis);
    if (where == ACROSS)
        return false;
    fits->front += where == IN_FRONT;
    fits->back += where == BEHIND;
    return true;
}

/* Few planes of few pieces are sooner looked at than indexed. */
static struct fits fit_pieces(struct builder *builder, struct brush *pieces, int plane)
{
    struct fits fits = {0};
    if (++builder->tried == INDEX_FROM)
        builder->index = plane_side_index_new(&builder->scratch, builder->planes, pieces);
    if (!builder->index) {
        for (; pieces; pieces = pieces->next)
            if (!is_aside(builder->planes, pieces, plane, &fits))
                add_fit(builder, pieces, plane, &fits);
        return fits;
    }
    int count;
    struct brush **near =
        plane_side_index_near(builder->index, plane, &count, &fits.front, &fits.back);
    for (int i = 0; i < count; i++)
        add_fit(builder, near[i], plane, &fits);
    return fits;
}

static long score_plane(struct builder *builder, struct brush *pieces,
                        const struct brush_side *side, int plane)
{
    const struct plane_set *planes = builder->planes;
    struct fits fits = fit_pieces(builder, pieces, plane);
    if (side->contents & (CONTENTS_WATER | CONTENTS_SLIME))
        return SCORE_WATER;
    if (fits.cuts_hint && !(side->flags & SURFACE_HINT))
        return SCORE_CUT_HINT;
    long score = SCORE_SHARED * fits.shared + SCORE_CUT * fits.cuts - labs(fits.front - fits.back);
    score += (long)SCORE_SLIVER * fits.slivers;
    if (planes->types[plane] <= PLANE_Z)
        score += SCORE_AXIAL;
    if ((side->contents & CONTENTS_TRANSLUCENT) || (side->flags & SURFACE_TRANS))
        score += SCORE_TRANSLUCENT;
    return score;
}

static const struct brush_side *find_splitter(struct builder *builder, const struct node *node,
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
                long score = score_plane(builder, pieces, side, plane);
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

static const struct brush_side *choose_splitter(struct builder *builder, const struct node *node,
                                                struct brush *pieces, struct brush *volume)
{
    struct arena_mark mark = arena_mark(&builder->scratch);
    const struct brush_side *splitter = find_splitter(builder, node, pieces, volume);
    arena_release(&builder->scratch, mark);
    builder->index = NULL;
    builder->tried = 0;
    return splitter;
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
            brush_fragment_cut(builder->arena, builder->planes, piece, plane, &front, &back);
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

/* What the pieces in a leaf make of it. Slivers that no plane could part from it, because they are
 * thinner than what splits, are solid for those who bump into them; the leaf is when they are most
 * of it; a leaf that the planes above leave no room has no volume. */
static int leaf_contents(const struct builder *builder, const struct brush *pieces,
                         const struct brush *volume)
{
    int contents = 0, of_slivers = 0;
    double slivers = 0;
    for (const struct brush *piece = pieces; piece; piece = piece->next) {
        if (!(piece->original->contents & CONTENTS_SOLID)) {
            contents |= piece->original->contents;
        } else if (fills_leaf(piece)) {
            return CONTENTS_SOLID;
        } else {
            of_slivers |= piece->original->contents;
            slivers += brush_fragment_volume(builder->planes, piece);
        }
    }
    double room = volume ? brush_fragment_volume(builder->planes, volume) : 0;
    if (slivers >= room / 2)
        contents |= of_slivers;
    return contents;
}

static struct node *finish_leaf(struct builder *builder, struct node *leaf, struct brush *pieces,
                                const struct brush *volume)
{
    leaf->brushes = pieces;
    leaf->contents = leaf_contents(builder, pieces, volume);
    builder->stats->leaves++;
    return leaf;
}

static struct node *build(struct builder *builder, struct node *parent, struct brush *pieces,
                          struct brush *volume)
{
    struct node *node = tree_leaf_new(builder->arena, parent);
    const struct brush_side *splitter = choose_splitter(builder, node, pieces, volume);
    if (!splitter)
        return finish_leaf(builder, node, pieces, volume);
    builder->stats->nodes++;
    node->plane = splitter->plane & ~1;
    node->splitter = splitter->original;
    struct brush *halves[2], *volumes[2] = {NULL, NULL};
    struct arena_mark mark = arena_mark(&builder->volumes);
    divide(builder, pieces, node->plane, halves);
    if (has_candidate(halves[0]) || has_candidate(halves[1])) /* else both are leaves */
        brush_fragment_cut(&builder->volumes, builder->planes, volume, node->plane, &volumes[0],
                           &volumes[1]);
    for (int i = 0; i < 2; i++)
        node->children[i] = build(builder, node, halves[i], volumes[i]);
    arena_release(&builder->volumes, mark);
    return node;
}

struct node *tree_build(struct arena *arena, const struct plane_set *planes, struct brush *pieces,
                        struct brush *volume, struct tree_stats *stats)
{
    struct builder builder = {.arena = arena, .planes = planes, .stats = stats};
    struct node *root = build(&builder, NULL, pieces, volume);
    arena_free(&builder.scratch);
    arena_free(&builder.volumes);
    return root;
}
