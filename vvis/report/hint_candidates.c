#include "vvis/report/hint_candidates.h"

#include <string.h>

#include "common/core/array.h"

/* Portals that a cut may split, plus the one in the cut itself. */
enum { EXTRA = 32 };

/* Smaller halves of portals are dropped, as portals_build would do. */
#define AREA_MIN 0.01

struct hint_candidates {
    const struct portals *portals;
    struct prt whole;     /* the portals of the map */
    struct bit_rows rows; /* their rows, with room for EXTRA more */
    /* Of the current cut: */
    struct prt prt;
    struct portals cut;
    int parents[EXTRA]; /* per added portal, the portal that it is the other half of, or -1 */
    int extra;
};

static struct winding *winding_of(struct arena *arena, const struct window *window)
{
    struct vec3 points[WINDOW_POINTS];
    for (int i = 0; i < window->count; i++)
        points[i] = window_point(window, i);
    return winding_new(arena, window->count, points);
}

struct hint_candidates *hint_candidates_new(const struct portals *portals,
                                            const struct bit_rows *rows)
{
    struct hint_candidates *candidates = memory_zalloc(1, sizeof *candidates);
    size_t count = (size_t)portals->count, room = count + 2 * (size_t)EXTRA;
    candidates->portals = portals;
    candidates->whole.cluster_count = portals->cluster_count;
    for (int p = 0; p < portals->count; p += 2) {
        struct prt_portal portal = {{portals->to[p], portals->to[p + 1]},
                                    winding_of(&candidates->whole.arena, &portals->windows[p])};
        arrput(candidates->whole.portals, portal);
    }
    candidates->rows = bit_rows_new(room, room);
    size_t size = (rows->words < candidates->rows.words ? rows->words : candidates->rows.words);
    for (size_t p = 0; p < count; p++)
        memcpy(bit_row(&candidates->rows, p), bit_row(rows, p), size * sizeof(uint64_t));
    return candidates;
}

void hint_candidates_free(struct hint_candidates *candidates)
{
    prt_free(&candidates->whole);
    memory_free(candidates->rows.data);
    memory_free(candidates);
}

static bool add_extra(struct hint_candidates *candidates, struct prt_portal portal, int parent)
{
    if (candidates->extra == EXTRA)
        return false;
    candidates->parents[candidates->extra++] = parent;
    arrput(candidates->prt.portals, portal);
    return true;
}

/* The half above the plane becomes a cluster of its own, after all others. */
static bool split_portal(struct hint_candidates *candidates, int index, int cluster,
                         const struct plane *plane)
{
    struct prt_portal *portal = &candidates->prt.portals[index], upper;
    struct winding *front = NULL, *back = NULL;
    winding_clip(&candidates->prt.arena, portal->winding, plane, VIS_EPSILON, &front, &back);
    bool above = front && winding_area(front) > AREA_MIN;
    bool below = back && winding_area(back) > AREA_MIN;
    if (!above)
        return true;
    upper = *portal;
    upper.winding = front;
    upper.clusters[upper.clusters[1] == cluster] = candidates->whole.cluster_count;
    if (!below) {
        *portal = upper;
        return true;
    }
    portal->winding = back;
    return add_extra(candidates, upper, index);
}

/* Returns the plane's cross-section of the box, which contains that of the cluster. */
static struct winding *cut_winding(struct arena *arena, const struct bounds *box,
                                   const struct hint_cut *cut)
{
    int u = (cut->axis + 1) % 3, v = (cut->axis + 2) % 3;
    struct vec3 points[4];
    for (int i = 0; i < 4; i++) {
        points[i].e[cut->axis] = cut->at;
        points[i].e[u] = i == 0 || i == 1 ? box->mins.e[u] : box->maxs.e[u];
        points[i].e[v] = i == 0 || i == 3 ? box->mins.e[v] : box->maxs.e[v];
    }
    return winding_new(arena, 4, points);
}

static bool split_cluster(struct hint_candidates *candidates, int cluster, const struct bounds *box,
                          const struct hint_cut *cut)
{
    const struct portals *portals = candidates->portals;
    struct plane plane = {.dist = cut->at};
    plane.normal.e[cut->axis] = 1;
    for (size_t i = 0; i < arrlenu(candidates->whole.portals); i++)
        arrput(candidates->prt.portals, candidates->whole.portals[i]);
    candidates->prt.cluster_count = candidates->whole.cluster_count + 1;
    for (int i = portals->first[cluster]; i < portals->first[cluster + 1]; i++)
        if (!split_portal(candidates, portals->leaving[i] / 2, cluster, &plane))
            return false;
    struct prt_portal own = {{candidates->whole.cluster_count, cluster},
                             cut_winding(&candidates->prt.arena, box, cut)};
    if (!add_extra(candidates, own, -1))
        return false;
    portals_build(&candidates->prt, &candidates->cut);
    return candidates->cut.count == (int)arrlen(candidates->prt.portals) * 2;
}

/* A half of a portal sees, and is seen by, what the whole portal does. */
static void add_rows_of_half(struct hint_candidates *candidates, size_t half, size_t parent)
{
    struct bit_rows *rows = &candidates->rows;
    for (size_t row = 0; row < half; row++)
        for (size_t direction = 0; direction < 2; direction++)
            if (bit_get(bit_row(rows, row), parent + direction))
                bit_set(bit_row(rows, row), half + direction);
    for (size_t direction = 0; direction < 2; direction++)
        memcpy(bit_row(rows, half + direction), bit_row(rows, parent + direction),
               rows->words * sizeof(uint64_t));
}

/* Through the cut, the portals of the cluster behind it may be seen, and what they see. */
static void add_row_of_cut(struct hint_candidates *candidates, size_t p)
{
    const struct portals *cut = &candidates->cut;
    struct bit_rows *rows = &candidates->rows;
    uint64_t *row = bit_row(rows, p);
    for (int i = cut->first[cut->to[p]]; i < cut->first[cut->to[p] + 1]; i++) {
        size_t q = (size_t)cut->leaving[i];
        if (q / 2 == p / 2)
            continue;
        bit_set(row, q);
        for (size_t k = 0; k < rows->words; k++)
            row[k] |= bit_row(rows, q)[k];
    }
}

static void add_rows(struct hint_candidates *candidates)
{
    size_t first = (size_t)candidates->portals->count;
    for (size_t i = 0; i < (size_t)candidates->extra; i++)
        if (candidates->parents[i] >= 0)
            add_rows_of_half(candidates, first + 2 * i, 2 * (size_t)candidates->parents[i]);
    for (size_t direction = 0; direction < 2; direction++)
        add_row_of_cut(candidates, first + 2 * (size_t)(candidates->extra - 1) + direction);
}

static void remove_rows(struct hint_candidates *candidates)
{
    struct bit_rows *rows = &candidates->rows;
    size_t first = (size_t)candidates->portals->count, end = first + 2 * (size_t)EXTRA;
    for (size_t row = 0; row < first; row++)
        for (size_t q = bit_next(bit_row(rows, row), rows->words, first); q != SIZE_MAX;
             q = bit_next(bit_row(rows, row), rows->words, q + 1))
            bit_clear(bit_row(rows, row), q);
    memset(bit_row(rows, first), 0, (end - first) * rows->words * sizeof(uint64_t));
}

/* Counts the two halves as one cluster. */
static int count_seen(const struct hint_candidates *candidates, struct flow *flow, int half,
                      int cluster, int64_t max)
{
    const struct portals *cut = &candidates->cut;
    struct bit_rows seen = bit_rows_new(1, (size_t)cut->cluster_count);
    uint64_t *seen_portals = memory_aligned(candidates->rows.words, sizeof *seen_portals);
    bit_set(seen.data, (size_t)cluster);
    for (int i = cut->first[half]; i < cut->first[half + 1]; i++) {
        memset(seen_portals, 0, candidates->rows.words * sizeof *seen_portals);
        bit_set(seen.data, (size_t)cut->to[cut->leaving[i]]);
        flow_portal(flow, cut->leaving[i], max, seen_portals);
        for (size_t q = bit_next(seen_portals, candidates->rows.words, 0); q != SIZE_MAX;
             q = bit_next(seen_portals, candidates->rows.words, q + 1))
            bit_set(seen.data, (size_t)cut->to[q]);
    }
    bit_clear(seen.data, (size_t)cut->cluster_count - 1);
    int count = (int)bit_count(seen.data, seen.words);
    memory_free(seen_portals);
    memory_free(seen.data);
    return count;
}

bool hint_candidates_try(struct hint_candidates *candidates, int cluster, const struct bounds *box,
                         int64_t max, struct hint_cut *out)
{
    candidates->extra = 0;
    bool was_split = split_cluster(candidates, cluster, box, out);
    int halves[2] = {cluster, candidates->whole.cluster_count};
    /* One portal of each is the cut. */
    for (int i = 0; i < 2 && was_split; i++)
        was_split = candidates->cut.first[halves[i] + 1] - candidates->cut.first[halves[i]] > 1;
    if (was_split) {
        add_rows(candidates);
        struct flow *flow = flow_new(&candidates->cut, &candidates->rows);
        for (int i = 0; i < 2; i++)
            out->sees[i] = count_seen(candidates, flow, halves[i], cluster, max);
        flow_free(flow);
        remove_rows(candidates);
    }
    portals_free(&candidates->cut);
    arrfree(candidates->prt.portals);
    arena_free(&candidates->prt.arena);
    candidates->prt = (struct prt){0};
    return was_split;
}
