#include "vbsp/csg.h"

#include <limits.h>

#include "common/core/array.h"
#include "vbsp/brush_piece.h"

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
        brush_piece_cut(arena, planes, inside, biter->sides[i].plane, &front, &back);
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

struct chop {
    struct arena *arena;
    const struct plane_set *planes;
    struct brush **rest; /* stb_ds array: pieces not yet known to be clear of the others */
};

static void append(struct chop *chop, struct brush *list)
{
    for (; list; list = list->next)
        arrput(chop->rest, list);
}

/* Two pieces meet: one of them is used up and what is left of it waits at the end. False when they
 * stay as they are. */
static bool chop_pair(struct chop *chop, size_t first, size_t second)
{
    struct brush *pair[2] = {chop->rest[first], chop->rest[second]};
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
    chop->rest[used == 0 ? first : second] = NULL;
    append(chop, left[used]);
    return true;
}

/* Drops the first `done` pieces and the one that was used up, and turns the rest around. Turning
 * is what the peers' trees show: which of two equally good splitters wins hangs on this order. */
static void turn_around(struct chop *chop, size_t done)
{
    struct brush **turned = NULL;
    for (size_t i = arrlenu(chop->rest); i-- > done;)
        if (chop->rest[i])
            arrput(turned, chop->rest[i]);
    arrfree(chop->rest);
    chop->rest = turned;
}

static bool chop_by_others(struct chop *chop, size_t first)
{
    size_t count = arrlenu(chop->rest);
    for (size_t second = first + 1; second < count; second++)
        if (chop_pair(chop, first, second))
            return true;
    return false;
}

struct brush *csg_chop(struct arena *arena, const struct plane_set *planes, struct brush *pieces)
{
    struct chop chop = {arena, planes, NULL};
    append(&chop, pieces);
    struct brush *clear = NULL;
    for (size_t i = 0; i < arrlenu(chop.rest);) {
        if (chop_by_others(&chop, i)) {
            turn_around(&chop, i);
            i = 0;
            continue;
        }
        chop.rest[i]->next = clear;
        clear = chop.rest[i++];
    }
    arrfree(chop.rest);
    return clear;
}
