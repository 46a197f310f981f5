/* Constructive solid geometry: brushes that overlap are cut until they do not. */
#include "vbsp/csg/brush_fragment.h"

#include <limits.h>
#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"

enum { TRANSPARENT = CONTENTS_WINDOW | CONTENTS_GRATE | CONTENTS_TRANSLUCENT };

/* True if `cutter` keeps the volume in which both overlap. */
static bool may_cut(const struct brush *cutter, const struct brush *cut)
{
    int by = cutter->original->contents, of = cut->original->contents;
    if ((by & CONTENTS_DETAIL) && !(of & CONTENTS_DETAIL))
        return false;
    if (by & CONTENTS_SOLID)
        return true;
    return (by & TRANSPARENT) && (of & TRANSPARENT);
}

static bool overlap(const struct brush *a, const struct brush *b)
{
    for (int i = 0; i < 3; i++)
        if (a->bounds.mins.e[i] >= b->bounds.maxs.e[i] ||
            a->bounds.maxs.e[i] <= b->bounds.mins.e[i])
            return false;
    /* Brushes on both sides of one plane only touch. */
    for (int i = 0; i < a->side_count; i++)
        for (int j = 0; j < b->side_count; j++)
            if (a->sides[i].plane == (b->sides[j].plane ^ 1))
                return false;
    return true;
}

/* The parts of `fragment` outside of `cutter`, as a list; `fragment` itself when they do not meet.
 * */
static struct brush *subtract(struct arena *arena, const struct plane_set *planes,
                              struct brush *fragment, const struct brush *cutter)
{
    struct brush *outside = NULL, *inside = fragment;
    for (int i = 0; i < cutter->side_count && inside; i++) {
        if (cutter->sides[i].bevel)
            continue;
        struct brush *front, *back;
        brush_fragment_cut(arena, planes, inside, cutter->sides[i].plane, &front, &back);
        if (front && front == fragment)
            return fragment;
        if (front) {
            front->next = outside;
            outside = front;
        }
        inside = back;
    }
    return inside ? outside : fragment;
}

static int count_fragments(const struct brush *list)
{
    int count = 0;
    for (; list; list = list->next)
        count++;
    return count;
}

/* A fragment and the input fragment that it was cut from, whose bounds contain it. */
struct entry {
    struct brush *fragment; /* NULL: consumed, or known to overlap no other */
    int origin;
};

/* Extent of an input fragment along an axis. */
struct extent {
    double low, high;
    int origin;
};

/* The queue of fragments. Its two ends change roles when it is reversed: places count from 0 up and
 * from -1 down. */
struct chop {
    struct arena *arena;
    const struct plane_set *planes;
    struct entry *up, *down; /* stb_ds arrays: places 0, 1 ... and -1, -2 ... */
    int first;               /* current place */
    int step;                /* towards the end of the queue: 1 or -1 */
    int **places;            /* stb_ds array: per origin, the places of its queued fragments */
    int *others;             /* stb_ds array, scratch */

    /* The input and its extents: a fragment that ends before another begins cannot meet it. */
    int count, leaves; /* a power of two */
    int axis;
    struct brush **origins; /* stb_ds array */
    struct extent *extents; /* stb_ds array, by their low ends */
    /* Segment tree over the extents, leaf `leaves + i` for the i-th and the root at 1: the maximum
     * of the high ends below. */
    double *max;
};

static struct entry *entry_at(const struct chop *chop, int place)
{
    return place < 0 ? &chop->down[-1 - place] : &chop->up[place];
}

/* Drops empty places at the end of the queue, which would be passed at each reversal. */
static void trim_row(struct chop *chop)
{
    struct entry **end = chop->step > 0 ? &chop->up : &chop->down;
    while (arrlenu(*end) && !arrlast(*end).fragment)
        (void)arrpop(*end);
}

static void append_fragments(struct chop *chop, struct brush *list, int origin)
{
    trim_row(chop);
    for (; list; list = list->next) {
        struct entry entry = {list, origin}, **end = chop->step > 0 ? &chop->up : &chop->down;
        int place = chop->step > 0 ? (int)arrlen(*end) : -1 - (int)arrlen(*end);
        arrput(*end, entry);
        arrput(chop->places[origin], place);
    }
}

static struct brush *take_fragment(struct chop *chop, int place)
{
    struct entry *entry = entry_at(chop, place);
    struct brush *fragment = entry->fragment;
    int *places = chop->places[entry->origin];
    entry->fragment = NULL;
    for (size_t i = 0; i < arrlenu(places); i++) {
        if (places[i] == place) {
            arrdelswap(places, i);
            break;
        }
    }
    return fragment;
}

/* Chops one of two overlapping fragments; what is left of it is appended. False when both stay as
 * they are. */
static bool chop_pair(struct chop *chop, int first, int second)
{
    const int places[2] = {first, second};
    struct brush *pair[2] = {entry_at(chop, first)->fragment, entry_at(chop, second)->fragment};
    if (!overlap(pair[0], pair[1]))
        return false;
    struct arena_mark mark = arena_mark(chop->arena);
    struct brush *left[2];
    int count[2] = {INT_MAX, INT_MAX};
    for (int i = 0; i < 2; i++) {
        if (!may_cut(pair[1 - i], pair[i]))
            continue;
        left[i] = subtract(chop->arena, chop->planes, pair[i], pair[1 - i]);
        if (left[i] == pair[i]) { /* they do not overlap */
            arena_release(chop->arena, mark);
            return false;
        }
        count[i] = count_fragments(left[i]);
        if (count[i] == 0)
            break; /* nothing left: no other result is better */
    }
    int detail = pair[0]->original->contents & pair[1]->original->contents & CONTENTS_DETAIL;
    int portal = (pair[0]->original->contents | pair[1]->original->contents) & CONTENTS_AREAPORTAL;
    int used = count[0] == 0 || count[0] < count[1] ? 0 : 1;
    if (count[used] == INT_MAX || (count[used] > 1 && !detail && !portal)) {
        arena_release(chop->arena, mark);
        return false;
    }
    int origin = entry_at(chop, places[used])->origin;
    (void)take_fragment(chop, places[used]);
    append_fragments(chop, left[used], origin);
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

/* Descends the tree to the extents before `end` that reach beyond the start of this one. */
static void find_others(struct chop *chop, const struct brush *fragment, int end, int node,
                        int first, int width)
{
    if (first >= end || !(chop->max[node] > fragment->bounds.mins.e[chop->axis]))
        return;
    if (width > 1) {
        find_others(chop, fragment, end, 2 * node, first, width / 2);
        find_others(chop, fragment, end, 2 * node + 1, first + width / 2, width / 2);
        return;
    }
    int origin = chop->extents[first].origin;
    if (bounds_touch(&fragment->bounds, &chop->origins[origin]->bounds, 0))
        add_others(chop, origin);
}

/* Tries the others in queue order. */
static bool chop_by_others(struct chop *chop)
{
    const struct brush *fragment = entry_at(chop, chop->first)->fragment;
    int end = count_before(chop, fragment->bounds.maxs.e[chop->axis]);
    arrsetlen(chop->others, 0);
    find_others(chop, fragment, end, 1, 0, chop->leaves);
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
        chop->max[i] = portable_fmax(chop->max[2 * i], chop->max[2 * i + 1]);
}

static void fill_row(struct chop *chop, struct brush *fragments)
{
    chop->count = count_fragments(fragments);
    arrsetlen(chop->places, (size_t)chop->count);
    for (int i = 0; i < chop->count; i++) {
        struct brush *next = fragments->next;
        chop->places[i] = NULL;
        fragments->next = NULL;
        arrput(chop->origins, fragments);
        append_fragments(chop, fragments, i);
        fragments = next;
    }
    index_origins(chop);
}

static bool is_at_end(const struct chop *chop)
{
    return chop->step > 0 ? chop->first == (int)arrlen(chop->up)
                          : chop->first == -1 - (int)arrlen(chop->down);
}

/* The queue is reversed because Valve's tools do so: which of two equally good splitters wins
 * depends on this order. */
static void reverse_row(struct chop *chop)
{
    trim_row(chop);
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

struct brush *csg_chop(struct arena *arena, const struct plane_set *planes, struct brush *fragments)
{
    struct chop chop = {.arena = arena, .planes = planes, .step = 1};
    struct brush *clear = NULL;
    fill_row(&chop, fragments);
    while (!is_at_end(&chop)) {
        if (entry_at(&chop, chop.first)->fragment && chop_by_others(&chop)) {
            reverse_row(&chop);
            continue;
        }
        if (entry_at(&chop, chop.first)->fragment) {
            struct brush *fragment = take_fragment(&chop, chop.first);
            fragment->next = clear;
            clear = fragment;
        }
        chop.first += chop.step;
    }
    chop_free(&chop);
    return clear;
}
