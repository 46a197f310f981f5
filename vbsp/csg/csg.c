/* Constructive solid geometry: brushes that overlap are cut until they do not. */
#include "vbsp/csg/brush_fragment.h"

#include <limits.h>
#include <stdlib.h>

#include "common/core/array.h"

enum { TRANSPARENT = CONTENTS_WINDOW | CONTENTS_GRATE | CONTENTS_TRANSLUCENT };

/* Whether `biter` takes the room that both claim. */
static bool may_bite(const struct brush *biter, const struct brush *bitten)
{
    int by = biter->original->contents, of = bitten->original->contents;
    if ((by & CONTENTS_DETAIL) && !(of & CONTENTS_DETAIL))
        return false;
    if (by & CONTENTS_SOLID)
        return true;
    return (by & TRANSPARENT) && (of & TRANSPARENT);
}

static bool have_common_room(const struct brush *a, const struct brush *b)
{
    for (int i = 0; i < 3; i++)
        if (a->bounds.mins.e[i] >= b->bounds.maxs.e[i] ||
            a->bounds.maxs.e[i] <= b->bounds.mins.e[i])
            return false;
    /* Brushes that share a wall look at it from two sides. */
    for (int i = 0; i < a->side_count; i++)
        for (int j = 0; j < b->side_count; j++)
            if (a->sides[i].plane == (b->sides[j].plane ^ 1))
                return false;
    return true;
}

/* What is left of `piece` outside of `biter`, as a list; `piece` itself when they do not meet. */
static struct brush *subtract(struct arena *arena, const struct plane_set *planes,
                              struct brush *piece, const struct brush *biter)
{
    struct brush *outside = NULL, *inside = piece;
    for (int i = 0; i < biter->side_count && inside; i++) {
        if (biter->sides[i].bevel)
            continue;
        struct brush *front, *back;
        brush_fragment_cut(arena, planes, inside, biter->sides[i].plane, &front, &back);
        if (front && front == piece)
            return piece;
        if (front) {
            front->next = outside;
            outside = front;
        }
        inside = back;
    }
    return inside ? outside : piece;
}

static int count_pieces(const struct brush *list)
{
    int count = 0;
    for (; list; list = list->next)
        count++;
    return count;
}

/* A piece and the piece of the input that it is of, which bounds it for good. */
struct entry {
    struct brush *piece; /* NULL: used up, or known to be clear of the others */
    int origin;
};

/* A piece of the input along an axis. */
struct extent {
    double low, high;
    int origin;
};

/* The pieces wait in a row, whose two ends change roles when it is turned around: places grow from
 * 0 upwards and from -1 downwards. */
struct chop {
    struct arena *arena;
    const struct plane_set *planes;
    struct entry *up, *down; /* stb_ds arrays: places 0, 1 ... and -1, -2 ... */
    int first;               /* the place that is looked at */
    int step;                /* towards the end of the row: 1 or -1 */
    int **places;            /* stb_ds array: of each origin, those of its pieces that wait */
    int *others;             /* stb_ds array, scratch */

    /* The input, and where it lies: what ends before another begins cannot meet it. */
    int count, leaves; /* a power of two */
    int axis;
    struct brush **origins; /* stb_ds array */
    struct extent *extents; /* stb_ds array, by their low ends */
    /* A tree over the extents, leaf `leaves + i` for the i-th and the root at 1: the highest of the
     * high ends below. */
    double *max;
};

static struct entry *entry_at(const struct chop *chop, int place)
{
    return place < 0 ? &chop->down[-1 - place] : &chop->up[place];
}

/* Forgets the places at the end of the row where nothing waits: they would be passed at each turn.
 */
static void trim(struct chop *chop)
{
    struct entry **end = chop->step > 0 ? &chop->up : &chop->down;
    while (arrlenu(*end) && !arrlast(*end).piece)
        (void)arrpop(*end);
}

static void append(struct chop *chop, struct brush *list, int origin)
{
    trim(chop);
    for (; list; list = list->next) {
        struct entry entry = {list, origin}, **end = chop->step > 0 ? &chop->up : &chop->down;
        int place = chop->step > 0 ? (int)arrlen(*end) : -1 - (int)arrlen(*end);
        arrput(*end, entry);
        arrput(chop->places[origin], place);
    }
}

static struct brush *take_out(struct chop *chop, int place)
{
    struct entry *entry = entry_at(chop, place);
    struct brush *piece = entry->piece;
    int *places = chop->places[entry->origin];
    entry->piece = NULL;
    for (size_t i = 0; i < arrlenu(places); i++) {
        if (places[i] == place) {
            arrdelswap(places, i);
            break;
        }
    }
    return piece;
}

/* Two pieces meet: one of them is used up and what is left of it waits at the end. False when they
 * stay as they are. */
static bool chop_pair(struct chop *chop, int first, int second)
{
    const int places[2] = {first, second};
    struct brush *pair[2] = {entry_at(chop, first)->piece, entry_at(chop, second)->piece};
    if (!have_common_room(pair[0], pair[1]))
        return false;
    struct arena_mark mark = arena_mark(chop->arena);
    struct brush *left[2];
    int count[2] = {INT_MAX, INT_MAX};
    for (int i = 0; i < 2; i++) {
        if (!may_bite(pair[1 - i], pair[i]))
            continue;
        left[i] = subtract(chop->arena, chop->planes, pair[i], pair[1 - i]);
        if (left[i] == pair[i]) { /* they do not meet after all */
            arena_release(chop->arena, mark);
            return false;
        }
        count[i] = count_pieces(left[i]);
        if (count[i] == 0)
            break; /* swallowed whole: nothing can be better */
    }
    int detail = pair[0]->original->contents & pair[1]->original->contents & CONTENTS_DETAIL;
    int portal = (pair[0]->original->contents | pair[1]->original->contents) & CONTENTS_AREAPORTAL;
    int used = count[0] == 0 || count[0] < count[1] ? 0 : 1;
    if (count[used] == INT_MAX || (count[used] > 1 && !detail && !portal)) {
        arena_release(chop->arena, mark);
        return false;
    }
    int origin = entry_at(chop, places[used])->origin;
    (void)take_out(chop, places[used]);
    append(chop, left[used], origin);
    return true;
}

static int compare_places(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void add_others(struct chop *chop, int origin)
{
    const int *places = chop->places[origin];
    for (size_t i = 0; i < arrlenu(places); i++)
        if (chop->step > 0 ? places[i] > chop->first : places[i] < chop->first)
            arrput(chop->others, places[i]);
}

static int count_before(const struct chop *chop, double end)
{
    int low = 0, high = chop->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (chop->extents[middle].low < end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Goes down the tree to the extents before `end` that reach beyond where this one begins. */
static void find_others(struct chop *chop, const struct brush *piece, int end, int node, int first,
                        int width)
{
    if (first >= end || !(chop->max[node] > piece->bounds.mins.e[chop->axis]))
        return;
    if (width > 1) {
        find_others(chop, piece, end, 2 * node, first, width / 2);
        find_others(chop, piece, end, 2 * node + 1, first + width / 2, width / 2);
        return;
    }
    int origin = chop->extents[first].origin;
    if (bounds_touch(&piece->bounds, &chop->origins[origin]->bounds, 0))
        add_others(chop, origin);
}

/* Tries the others in the order of the row. */
static bool chop_by_others(struct chop *chop)
{
    const struct brush *piece = entry_at(chop, chop->first)->piece;
    int end = count_before(chop, piece->bounds.maxs.e[chop->axis]);
    arrsetlen(chop->others, 0);
    find_others(chop, piece, end, 1, 0, chop->leaves);
    size_t count = arrlenu(chop->others);
    if (count > 1)
        qsort(chop->others, count, sizeof *chop->others, compare_places);
    for (size_t i = 0; i < count; i++)
        if (chop_pair(chop, chop->first, chop->others[chop->step > 0 ? i : count - 1 - i]))
            return true;
    return false;
}

static int compare_extents(const void *a, const void *b)
{
    const struct extent *x = a, *y = b;
    if (x->low < y->low || x->low > y->low)
        return x->low < y->low ? -1 : 1;
    return (x->origin > y->origin) - (x->origin < y->origin);
}

/* Along the longest axis of all. */
static void index_origins(struct chop *chop)
{
    struct bounds all = bounds_empty();
    for (int i = 0; i < chop->count; i++)
        bounds_add(&all, &chop->origins[i]->bounds);
    chop->axis = vec3_major_axis(vec3_sub(all.maxs, all.mins));
    for (int i = 0; i < chop->count; i++) {
        const struct bounds *bounds = &chop->origins[i]->bounds;
        struct extent extent = {bounds->mins.e[chop->axis], bounds->maxs.e[chop->axis], i};
        arrput(chop->extents, extent);
    }
    if (chop->count > 1)
        qsort(chop->extents, (size_t)chop->count, sizeof *chop->extents, compare_extents);
    for (chop->leaves = 1; chop->leaves < chop->count;)
        chop->leaves *= 2;
    arrsetlen(chop->max, 2 * (size_t)chop->leaves);
    for (int i = 0; i < chop->leaves; i++)
        chop->max[chop->leaves + i] = i < chop->count ? chop->extents[i].high : -DBL_MAX;
    for (int i = chop->leaves - 1; i > 0; i--)
        chop->max[i] = fmax(chop->max[2 * i], chop->max[2 * i + 1]);
}

static void line_up(struct chop *chop, struct brush *pieces)
{
    chop->count = count_pieces(pieces);
    arrsetlen(chop->places, (size_t)chop->count);
    for (int i = 0; i < chop->count; i++) {
        struct brush *next = pieces->next;
        chop->places[i] = NULL;
        pieces->next = NULL;
        arrput(chop->origins, pieces);
        append(chop, pieces, i);
        pieces = next;
    }
    index_origins(chop);
}

static bool is_at_end(const struct chop *chop)
{
    return chop->step > 0 ? chop->first == (int)arrlen(chop->up)
                          : chop->first == -1 - (int)arrlen(chop->down);
}

/* Turning is what the peers' trees show: which of two equally good splitters wins hangs on this
 * order. */
static void turn_around(struct chop *chop)
{
    trim(chop);
    chop->first = chop->step > 0 ? (int)arrlen(chop->up) - 1 : -(int)arrlen(chop->down);
    chop->step = -chop->step;
}

static void chop_free(struct chop *chop)
{
    for (size_t i = 0; i < arrlenu(chop->places); i++)
        arrfree(chop->places[i]);
    arrfree(chop->places);
    arrfree(chop->origins);
    arrfree(chop->extents);
    arrfree(chop->max);
    arrfree(chop->up);
    arrfree(chop->down);
    arrfree(chop->others);
}

struct brush *csg_chop(struct arena *arena, const struct plane_set *planes, struct brush *pieces)
{
    struct chop chop = {.arena = arena, .planes = planes, .step = 1};
    struct brush *clear = NULL;
    line_up(&chop, pieces);
    while (!is_at_end(&chop)) {
        if (entry_at(&chop, chop.first)->piece && chop_by_others(&chop)) {
            turn_around(&chop);
            continue;
        }
        if (entry_at(&chop, chop.first)->piece) {
            struct brush *piece = take_out(&chop, chop.first);
            piece->next = clear;
            clear = piece;
        }
        chop.first += chop.step;
    }
    chop_free(&chop);
    return clear;
}
