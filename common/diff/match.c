/* Matching of records by position, by key and by text. */
#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/diff/diff_internal.h"

enum { CANDIDATES_MAX = 512 };

#define CELL_MIN  4.0
#define CELL_LAST 1e15 /* maximum cell number: only damaged files exceed it */

void diff_match_init(struct diff_match *match, size_t a, size_t b)
{
    size_t counts[2] = {a, b};
    for (int side = 0; side < 2; side++) {
        arrsetlen(match->to[side], counts[side]);
        for (size_t i = 0; i < counts[side]; i++)
            match->to[side][i] = -1;
    }
}

void diff_match_free(struct diff_match *match)
{
    arrfree(match->to[0]);
    arrfree(match->to[1]);
}

void diff_match_pair(struct diff_match *match, int a, int b)
{
    match->to[0][a] = b;
    match->to[1][b] = a;
}

/* Chains of points by cell of space, each in order. */
struct grid {
    const struct diff_point *points;
    int32_t *heads, *next;
    size_t mask;
    double cell;
};

static int64_t cell_of(double x, double cell)
{
    double number = floor(x / cell);
    if (isnan(number))
        return 0;
    return (int64_t)portable_fmax(-CELL_LAST, portable_fmin(CELL_LAST, number));
}

static uint64_t cell_hash(const int64_t cell[3], uint64_t kind)
{
    uint64_t xy = hash_pair((uint64_t)cell[0], (uint64_t)cell[1]);
    return hash_pair(xy, hash_pair((uint64_t)cell[2], kind));
}

static struct grid grid_new(const struct diff_point *points, double radius)
{
    size_t count = arrlenu(points), size = 16;
    while (size < 2 * count)
        size *= 2;
    struct grid grid = {points, memory_alloc(size * sizeof(int32_t)),
                        memory_alloc((count + 1) * sizeof(int32_t)), size - 1,
                        portable_fmax(CELL_MIN, 2 * radius)};
    for (size_t i = 0; i < size; i++)
        grid.heads[i] = -1;
    for (size_t i = count; i-- > 0;) {
        int64_t cell[3];
        for (int k = 0; k < 3; k++)
            cell[k] = cell_of(points[i].at.e[k], grid.cell);
        int32_t *head = &grid.heads[cell_hash(cell, points[i].kind) & grid.mask];
        grid.next[i] = *head;
        *head = (int32_t)i;
    }
    return grid;
}

static void grid_free(struct grid *grid)
{
    memory_free(grid->heads);
    memory_free(grid->next);
}

struct search {
    struct grid grid;
    double radius;
    diff_cost *cost;
    const void *context;
    bool swapped; /* the searched point is of B */
    const int32_t
        *taken; /* partners of the grid's points: those with one are no candidates; or NULL */
    const struct diff_point *point;
    int index; /* index of the point */
    int best, tried;
    double best_cost;
};

/* Of equal ones, prefers the same index, then the first: unmoved objects keep their partner. */
static bool is_better(const struct search *search, int candidate, double cost)
{
    if (cost != search->best_cost)
        return cost < search->best_cost;
    return candidate == search->index ||
           (search->best != search->index && candidate < search->best);
}

static void try_candidate(struct search *search, int candidate)
{
    const struct diff_point *other = &search->grid.points[candidate];
    if (other->kind != search->point->kind ||
        !diff_near(other->at, search->point->at, search->radius))
        return;
    search->tried++;
    double cost = search->swapped ? search->cost(search->context, candidate, search->index)
                                  : search->cost(search->context, search->index, candidate);
    if (cost < 0 || (search->best >= 0 && !is_better(search, candidate, cost)))
        return;
    search->best = candidate;
    search->best_cost = cost;
}

/* Points with a partner are removed from the chain, so that many at one position are not visited
 * again. */
static void try_cell(struct search *search, const int64_t cell[3])
{
    int32_t *link = &search->grid.heads[cell_hash(cell, search->point->kind) & search->grid.mask];
    while (*link >= 0 && search->tried < CANDIDATES_MAX) {
        if (search->taken && search->taken[*link] >= 0) {
            *link = search->grid.next[*link];
            continue;
        }
        try_candidate(search, *link);
        link = &search->grid.next[*link];
    }
}

/* Returns the best partner of a point, or -1. */
static int find(struct search *search, const struct diff_point *points, int index)
{
    int64_t from[3], to[3], at[3];
    search->point = &points[index];
    search->index = index;
    search->best = -1;
    search->tried = 0;
    for (int k = 0; k < 3; k++) {
        from[k] = cell_of(search->point->at.e[k] - search->radius, search->grid.cell);
        to[k] = cell_of(search->point->at.e[k] + search->radius, search->grid.cell);
    }
    for (at[0] = from[0]; at[0] <= to[0]; at[0]++)
        for (at[1] = from[1]; at[1] <= to[1]; at[1]++)
            for (at[2] = from[2]; at[2] <= to[2]; at[2]++)
                try_cell(search, at);
    return search->best;
}

void diff_match_points(const struct diff_point *a, const struct diff_point *b, double radius,
                       diff_cost *cost, const void *context, struct diff_match *match)
{
    struct search search = {.grid = grid_new(b, radius),
                            .radius = radius,
                            .cost = cost,
                            .context = context,
                            .taken = match->to[1]};
    for (int i = 0; i < arrlen(a); i++) {
        if (match->to[0][i] >= 0)
            continue;
        int partner = find(&search, a, i);
        if (partner >= 0)
            diff_match_pair(match, i, partner);
    }
    grid_free(&search.grid);
}

void diff_match_sets(const struct diff_point *a, const struct diff_point *b, double radius,
                     diff_cost *cost, const void *context, struct diff_match *match)
{
    const struct diff_point *points[2] = {a, b};
    for (int side = 0; side < 2; side++) {
        struct search search = {.grid = grid_new(points[!side], radius),
                                .radius = radius,
                                .cost = cost,
                                .context = context,
                                .swapped = side == 1};
        for (int i = 0; i < arrlen(points[side]); i++)
            match->to[side][i] = find(&search, points[side], i);
        grid_free(&search.grid);
    }
}

struct keyed {
    uint64_t key;
    int index;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

/* Keys of items without a partner, sorted. */
static struct keyed *free_keys(const uint64_t *keys, const int32_t *to)
{
    struct keyed *list = NULL;
    for (int i = 0; i < arrlen(keys); i++)
        if (keys[i] && to[i] < 0)
            arrput(list, ((struct keyed){keys[i], i}));
    if (list)
        qsort(list, arrlenu(list), sizeof *list, by_key);
    return list;
}

void diff_match_keys(const uint64_t *a, const uint64_t *b, struct diff_match *match)
{
    struct keyed *p = free_keys(a, match->to[0]), *q = free_keys(b, match->to[1]);
    for (ptrdiff_t i = 0, k = 0; i < arrlen(p) && k < arrlen(q);) {
        if (p[i].key == q[k].key)
            diff_match_pair(match, p[i++].index, q[k++].index);
        else if (p[i].key < q[k].key)
            i++;
        else
            k++;
    }
    arrfree(p);
    arrfree(q);
}

/* FNV-1a; mixed well by the function that it is passed to. */
static uint64_t hash_char(uint64_t hash, char c)
{
    unsigned char u = (unsigned char)c;
    if (u >= 'A' && u <= 'Z')
        u = (unsigned char)(u - 'A' + 'a');
    if (u == '\\')
        u = '/';
    return (hash ^ u) * 0x100000001b3u;
}

uint64_t diff_hash_text(uint64_t seed, const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u ^ hash_u64(seed);
    for (; *text; text++)
        hash = hash_char(hash, *text);
    return hash | 1; /* 0 is none */
}

uint64_t diff_hash_asset(const char *name)
{
    static const char folder[] = "maps/";
    uint64_t hash = 0xcbf29ce484222325u;
    const char *text = name;
    size_t same = 0;
    while (*text) {
        char c = *text++;
        hash = hash_char(hash, c);
        char plain = c == '\\' ? '/' : (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        same = plain == folder[same] ? same + 1 : (size_t)(plain == folder[0]);
        if (same < sizeof folder - 1)
            continue;
        size_t map = strcspn(text, "/\\");
        if (text[map])
            text += map;
        same = 0;
    }
    return hash | 1;
}
