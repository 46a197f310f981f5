/* Builds the tree: each node is split by the side plane with the best score for its fragments. */
#include "vbsp/tree/tree_build.h"

#include <limits.h>
#include <stdlib.h>

#include "common/geom/epsilon.h"
#include "vbsp/csg/brush_fragment.h"
#include "vbsp/tree/plane_side_index.h"

/* Scores of a splitter: shared planes are good, cuts are bad; see struct splitter_rules. */
enum {
    SCORE_SHARED = 5,          /* a fragment has a side on the plane */
    SCORE_CUT = -5,            /* the plane cuts a side that can be seen */
    SCORE_AXIAL = 5,           /* axial planes keep boxes tight */
    SCORE_SLIVER = -1000,      /* it leaves less than a unit of a fragment on one side */
    SCORE_TRANSLUCENT = -500,  /* glass should not cut the walls around it */
    SCORE_CUT_HINT = -9999999, /* hints are cut only by hints: the mapper placed them */
    SCORE_WATER = 9999999,     /* always first: a leaf is above or below the surface, not both */
};

const struct splitter_rules splitters_balanced = {.balanced = true, .hidden_shared = true};
const struct splitter_rules splitters_open = {.balanced = false, .hidden_shared = false};

/* Thickness below which a cut-off part of a fragment is a sliver. */
#define SLIVER 1.0

/* Number of planes that a search tries before it indexes its fragments. */
enum { INDEX_FROM = 100 };

enum plane_sides { IN_FRONT = 1, BEHIND = 2, ACROSS = 3, FACING = 4 };

struct fragment_split {
    int sides;
    int cuts;
    bool sliver, cuts_hint;
};

/* Counts over all fragments. */
struct split_counts {
    int front, back, shared, cuts, slivers;
    bool cuts_hint;
};

struct builder {
    struct arena *arena, scratch;
    /* On the current path from the root: the volumes of the nodes, and the pieces of fragments. A
     * leaf copies what it keeps. */
    struct arena volumes, pieces;
    const struct plane_set *planes;
    const struct splitter_rules *rules;
    struct tree_stats *stats;
    int searches;                   /* number of splitter searches */
    int tried;                      /* planes tried by this search */
    struct plane_side_index *index; /* of this search, after INDEX_FROM planes; else NULL */
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

/* Axial planes are handled first as the most frequent; the normal of an even one points along the
 * axis. */
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

static void measure_cuts(const struct brush *fragment, const struct plane *plane,
                         struct fragment_split *split)
{
    double ahead = 0, behind = 0;
    for (int i = 0; i < fragment->side_count; i++) {
        const struct brush_side *side = &fragment->sides[i];
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
            split->cuts++;
            split->cuts_hint |= (side->flags & SURFACE_HINT) != 0;
        }
    }
    split->sliver =
        (ahead > EPSILON_NOISE && ahead < SLIVER) || (behind < -EPSILON_NOISE && behind > -SLIVER);
}

/* Classifies a fragment against a plane (an even number). */
static struct fragment_split classify_fragment(const struct plane_set *planes,
                                               const struct brush *fragment, int plane)
{
    struct fragment_split split = {0};
    int on = brush_fragment_side_on(fragment, plane);
    if (on >= 0) {
        split.sides = FACING | (fragment->sides[on].plane == plane ? BEHIND : IN_FRONT);
        return split;
    }
    split.sides = box_side(&fragment->bounds, &planes->planes[plane], planes->types[plane]);
    if (split.sides == ACROSS)
        measure_cuts(fragment, &planes->planes[plane], &split);
    return split;
}

static bool is_above(const struct node *node, int plane)
{
    for (node = node->parent; node; node = node->parent)
        if (node->plane == plane)
            return true;
    return false;
}

/* A plane that leaves one half of the node's volume empty would make a zero-volume leaf. */
static bool cuts_volume(struct builder *builder, struct brush *volume, int plane)
{
    return brush_fragment_is_cut(&builder->scratch, builder->planes, volume, plane);
}

static bool is_candidate(const struct brush_side *side, bool visible)
{
    return !side->bevel && side->winding && !side_is_on_node(side) &&
           !(side->flags & SURFACE_SKIP) && side->visible == visible;
}

static bool has_candidate(const struct brush *fragments)
{
    for (; fragments; fragments = fragments->next)
        for (int i = 0; i < fragments->side_count; i++)
            if (is_candidate(&fragments->sides[i], fragments->sides[i].visible))
                return true;
    return false;
}

/* Counts a fragment with a side on the plane; marks every such side, so that this search does not
 * try it again. */
static void count_facing(struct builder *builder, struct brush *fragment, int plane,
                         struct split_counts *counts)
{
    int on = brush_fragment_side_on(fragment, plane);
    if (on < 0)
        return;
    *(fragment->sides[on].plane == plane ? &counts->back : &counts->front) += 1;
    bool shared = builder->rules->hidden_shared;
    for (int i = 0; i < fragment->side_count; i++) {
        struct brush_side *side = &fragment->sides[i];
        if ((side->plane & ~1) != plane)
            continue;
        side->tried = builder->searches;
        shared |= side->visible && side->winding && !side_is_on_node(side);
    }
    counts->shared += shared;
}

/* Counts a fragment without a side on the plane. */
static void count_cuts(const struct plane_set *planes, const struct brush *fragment, int plane,
                       struct split_counts *counts)
{
    struct fragment_split split = {0};
    split.sides = box_side(&fragment->bounds, &planes->planes[plane], planes->types[plane]);
    if (split.sides == ACROSS)
        measure_cuts(fragment, &planes->planes[plane], &split);
    counts->front += (split.sides & IN_FRONT) != 0;
    counts->back += (split.sides & BEHIND) != 0;
    counts->cuts += split.cuts;
    counts->slivers += split.sliver;
    counts->cuts_hint |= split.cuts_hint;
}

/* Most fragments are wholly on one side of an axial plane and have no side on it: they are only
 * counted. */
static bool is_on_one_side(const struct plane_set *planes, const struct brush *fragment, int plane,
                           struct split_counts *counts)
{
    enum plane_type axis = planes->types[plane];
    if (axis > PLANE_Z || (fragment->plane_bits & plane_bit(plane)))
        return false;
    int sides = box_side(&fragment->bounds, &planes->planes[plane], axis);
    if (sides == ACROSS)
        return false;
    counts->front += sides == IN_FRONT;
    counts->back += sides == BEHIND;
    return true;
}

/* A plane that is tried as the splitter, and the best so far. */
struct trial {
    const struct brush_side *side;
    int plane;
    int64_t best;
    struct split_counts counts;
    bool is_hopeless; /* it cannot be better: the counts of cuts are not complete */
};

static bool is_water(const struct brush_side *side)
{
    return side->contents & (CONTENTS_WATER | CONTENTS_SLIME);
}

/* The score without what only lowers it further. */
static int64_t score_of_cuts(const struct plane_set *planes, const struct trial *trial)
{
    const struct split_counts *counts = &trial->counts;
    int64_t score = SCORE_SHARED * counts->shared + SCORE_CUT * counts->cuts;
    score += (int64_t)SCORE_SLIVER * counts->slivers;
    return planes->types[trial->plane] <= PLANE_Z ? score + SCORE_AXIAL : score;
}

/* Counts cuts until the plane has too many: planes that cut much are most of those that a search
 * tries, and the best is mostly found early. */
static void count_cuts_of(struct builder *builder, struct trial *trial,
                          const struct brush *fragment)
{
    int cuts = trial->counts.cuts, slivers = trial->counts.slivers;
    count_cuts(builder->planes, fragment, trial->plane, &trial->counts);
    if ((trial->counts.cuts > cuts || trial->counts.slivers > slivers) && !is_water(trial->side) &&
        trial->best >= SCORE_CUT_HINT)
        trial->is_hopeless = score_of_cuts(builder->planes, trial) <= trial->best;
}

/* For few planes a scan is faster than building an index. */
static void count_splits(struct builder *builder, struct brush *fragments, struct trial *trial)
{
    int plane = trial->plane, count;
    struct split_counts *counts = &trial->counts;
    if (++builder->tried == INDEX_FROM)
        builder->index = plane_side_index_new(&builder->scratch, builder->planes, fragments);
    if (!builder->index) {
        for (struct brush *at = fragments; at; at = at->next)
            count_facing(builder, at, plane, counts);
        for (struct brush *at = fragments; at && !trial->is_hopeless; at = at->next)
            if (!is_on_one_side(builder->planes, at, plane, counts) &&
                brush_fragment_side_on(at, plane) < 0)
                count_cuts_of(builder, trial, at);
        return;
    }
    struct brush **near =
        plane_side_index_near(builder->index, plane, &count, &counts->front, &counts->back);
    for (int i = 0; i < count; i++)
        count_facing(builder, near[i], plane, counts);
    for (int i = 0; i < count && !trial->is_hopeless; i++)
        if (brush_fragment_side_on(near[i], plane) < 0)
            count_cuts_of(builder, trial, near[i]);
}

/* Returns INT64_MIN for a plane that is not better than the best. */
static int64_t score_plane(struct builder *builder, struct brush *fragments,
                           const struct brush_side *side, int plane, int64_t best)
{
    const struct plane_set *planes = builder->planes;
    struct trial trial = {.side = side, .plane = plane, .best = best};
    count_splits(builder, fragments, &trial);
    if (is_water(side))
        return SCORE_WATER;
    if (trial.is_hopeless)
        return INT64_MIN;
    if (trial.counts.cuts_hint && !(side->flags & SURFACE_HINT))
        return SCORE_CUT_HINT;
    int64_t score = score_of_cuts(planes, &trial);
    if (builder->rules->balanced)
        score -= abs(trial.counts.front - trial.counts.back);
    if ((side->contents & CONTENTS_TRANSLUCENT) || (side->flags & SURFACE_TRANS))
        score += SCORE_TRANSLUCENT;
    return score;
}

static const struct brush_side *find_splitter(struct builder *builder, const struct node *node,
                                              struct brush *fragments, struct brush *volume)
{
    int round = ++builder->searches; /* sides store the last search that tried them */
    for (int visible = 1; visible >= 0; visible--) {
        const struct brush_side *best = NULL;
        int64_t best_score = INT64_MIN;
        for (struct brush *fragment = fragments; fragment; fragment = fragment->next) {
            for (int i = 0; i < fragment->side_count; i++) {
                struct brush_side *side = &fragment->sides[i];
                if (side->tried == round || !is_candidate(side, visible))
                    continue;
                int plane = side->plane & ~1;
                if (is_above(node, plane) || !cuts_volume(builder, volume, plane))
                    continue;
                int64_t score = score_plane(builder, fragments, side, plane, best_score);
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
                                                struct brush *fragments, struct brush *volume)
{
    struct arena_mark mark = arena_mark(&builder->scratch);
    const struct brush_side *splitter = find_splitter(builder, node, fragments, volume);
    arena_release(&builder->scratch, mark);
    builder->index = NULL;
    builder->tried = 0;
    return splitter;
}

static struct brush *push_fragment(struct brush *list, struct brush *fragment)
{
    fragment->next = list;
    return fragment;
}

static void divide_fragments(struct builder *builder, struct brush *fragments, int plane,
                             struct brush *halves[2])
{
    halves[0] = halves[1] = NULL;
    while (fragments) {
        struct brush *fragment = fragments, *front = NULL, *back = NULL;
        fragments = fragment->next;
        int sides = classify_fragment(builder->planes, fragment, plane).sides;
        if (sides == ACROSS) {
            brush_fragment_cut(&builder->pieces, builder->planes, fragment, plane, &front, &back);
            builder->stats->splits += front && back;
        } else if (sides & IN_FRONT) {
            front = fragment;
        } else {
            back = fragment;
        }
        if (sides & FACING)
            for (int i = 0; i < fragment->side_count; i++)
                if ((fragment->sides[i].plane & ~1) == plane)
                    fragment->sides[i].on_node = true;
        if (front)
            halves[0] = push_fragment(halves[0], front);
        if (back)
            halves[1] = push_fragment(halves[1], back);
    }
}

/* A fragment fills its leaf if all its sides are on nodes above; otherwise it is a sliver. */
static bool fills_leaf(const struct brush *fragment)
{
    for (int i = 0; i < fragment->side_count; i++)
        if (!fragment->sides[i].bevel && !side_is_on_node(&fragment->sides[i]))
            return false;
    return true;
}

/* The contents of a leaf. Slivers that no plane could split off, because they are too thin, make
 * the leaf solid if they fill most of it; a leaf whose volume the planes above reduced to nothing
 * has none. */
static int leaf_contents(const struct builder *builder, const struct brush *fragments,
                         const struct brush *volume)
{
    int contents = 0, of_slivers = 0;
    double slivers = 0;
    for (const struct brush *fragment = fragments; fragment; fragment = fragment->next) {
        if (!(fragment->original->contents & CONTENTS_SOLID)) {
            contents |= fragment->original->contents;
        } else if (fills_leaf(fragment)) {
            return CONTENTS_SOLID;
        } else {
            of_slivers |= fragment->original->contents;
            slivers += brush_fragment_volume(builder->planes, fragment);
        }
    }
    double room = volume ? brush_fragment_volume(builder->planes, volume) : 0;
    if (slivers >= room / 2)
        contents |= of_slivers;
    return contents;
}

static struct node *finish_leaf(struct builder *builder, struct node *leaf, struct brush *fragments,
                                const struct brush *volume)
{
    struct brush **end = &leaf->brushes;
    for (const struct brush *fragment = fragments; fragment; fragment = fragment->next) {
        *end = brush_fragment_copy_sides(builder->arena, fragment);
        end = &(*end)->next;
    }
    leaf->contents = leaf_contents(builder, fragments, volume);
    builder->stats->leaves++;
    return leaf;
}

static struct node *build(struct builder *builder, struct node *parent, struct brush *fragments,
                          struct brush *volume)
{
    struct node *node = tree_leaf_new(builder->arena, parent);
    const struct brush_side *splitter = choose_splitter(builder, node, fragments, volume);
    if (!splitter)
        return finish_leaf(builder, node, fragments, volume);
    builder->stats->nodes++;
    node->plane = splitter->plane & ~1;
    node->splitter = splitter->original;
    struct brush *halves[2], *volumes[2] = {NULL, NULL};
    struct arena_mark mark = arena_mark(&builder->volumes);
    struct arena_mark pieces = arena_mark(&builder->pieces);
    divide_fragments(builder, fragments, node->plane, halves);
    if (has_candidate(halves[0]) || has_candidate(halves[1])) /* otherwise both are leaves */
        brush_fragment_cut(&builder->volumes, builder->planes, volume, node->plane, &volumes[0],
                           &volumes[1]);
    for (int i = 0; i < 2; i++)
        node->children[i] = build(builder, node, halves[i], volumes[i]);
    arena_release(&builder->volumes, mark);
    arena_release(&builder->pieces, pieces);
    return node;
}

struct node *tree_build(struct arena *arena, const struct plane_set *planes,
                        const struct splitter_rules *rules, struct brush *fragments,
                        struct brush *volume, struct tree_stats *stats)
{
    struct builder builder = {.arena = arena, .planes = planes, .rules = rules, .stats = stats};
    struct node *root = build(&builder, NULL, fragments, volume);
    arena_free(&builder.scratch);
    arena_free(&builder.volumes);
    arena_free(&builder.pieces);
    return root;
}
