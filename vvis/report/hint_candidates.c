#include "vvis/report/hint_candidates.h"

#include <string.h>

#include "common/core/array.h"

/* Portals that a cut may go through, and the one in the cut itself. */
enum { EXTRA = 32 };

/* Halves of portals that are smaller are left out: portals_build would drop them. */
#define AREA_MIN 0.01

struct cutter {
    const struct portals *portals;
    struct prt whole;     /* the portals as they are */
    struct bit_rows rows; /* theirs, with room for EXTRA more */
    /* Of the cut at hand: */
    struct prt prt;
    struct portals cut;
    int parents[EXTRA]; /* of each portal behind the old ones: whose other half it is; -1: none's */
    int extra;
};

static struct winding *winding_of(struct arena *arena, const struct window *window)
{
    struct vec3 points[WINDOW_POINTS];
    for (int i = 0; i < window->count; i++)
        points[i] = window_point(window, i);
    return winding_new(arena, window->count, points);
}

struct cutter *cutter_new(const struct portals *portals, const struct bit_rows *rows)
{
    struct cutter *cutter = memory_zalloc(1, sizeof *cutter);
    size_t count = (size_t)portals->count, room = count + 2 * (size_t)EXTRA;
    cutter->portals = portals;
    cutter->whole.cluster_count = portals->cluster_count;
    for (int p = 0; p < portals->count; p += 2) {
        struct prt_portal portal = {{portals->to[p], portals->to[p + 1]},
                                    winding_of(&cutter->whole.arena, &portals->windows[p])};
        arrput(cutter->whole.portals, portal);
    }
    cutter->rows = bit_rows_new(room, room);
    size_t size = (rows->words < cutter->rows.words ? rows->words : cutter->rows.words);
    for (size_t p = 0; p < count; p++)
        memcpy(bit_row(&cutter->rows, p), bit_row(rows, p), size * sizeof(uint64_t));
    return cutter;
}

void cutter_free(struct cutter *cutter)
{
    prt_free(&cutter->whole);
    memory_free(cutter->rows.data);
    memory_free(cutter);
}

static bool add_extra(struct cutter *cutter, struct prt_portal portal, int parent)
{
    if (cutter->extra == EXTRA)
        return false;
    cutter->parents[cutter->extra++] = parent;
    arrput(cutter->prt.portals, portal);
    return true;
}

/* The half above the plane is a cluster of its own, behind all others. */
static bool part_portal(struct cutter *cutter, int index, int cluster, const struct plane *plane)
{
    struct prt_portal *portal = &cutter->prt.portals[index], upper;
    struct winding *front = NULL, *back = NULL;
    winding_clip(&cutter->prt.arena, portal->winding, plane, VIS_EPSILON, &front, &back);
    bool above = front && winding_area(front) > AREA_MIN;
    bool below = back && winding_area(back) > AREA_MIN;
    if (!above)
        return true;
    upper = *portal;
    upper.winding = front;
    upper.clusters[upper.clusters[1] == cluster] = cutter->whole.cluster_count;
    if (!below) {
        *portal = upper;
        return true;
    }
    portal->winding = back;
    return add_extra(cutter, upper, index);
}

/* All of the box that the plane meets: not less than the cluster's own part of it. */
static struct winding *cut_of(struct arena *arena, const struct bounds *box, const struct cut *cut)
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

static bool part(struct cutter *cutter, int cluster, const struct bounds *box,
                 const struct cut *cut)
{
    const struct portals *portals = cutter->portals;
    struct plane plane = {.dist = cut->at};
    plane.normal.e[cut->axis] = 1;
    for (size_t i = 0; i < arrlenu(cutter->whole.portals); i++)
        arrput(cutter->prt.portals, cutter->whole.portals[i]);
    cutter->prt.cluster_count = cutter->whole.cluster_count + 1;
    for (int i = portals->first[cluster]; i < portals->first[cluster + 1]; i++)
        if (!part_portal(cutter, portals->leaving[i] / 2, cluster, &plane))
            return false;
    struct prt_portal own = {{cutter->whole.cluster_count, cluster},
                             cut_of(&cutter->prt.arena, box, cut)};
    if (!add_extra(cutter, own, -1))
        return false;
    portals_build(&cutter->prt, &cutter->cut);
    return cutter->cut.count == (int)arrlen(cutter->prt.portals) * 2;
}

/* A half of a portal sees, and is seen by, what the whole does. */
static void add_rows_of_half(struct cutter *cutter, size_t half, size_t parent)
{
    struct bit_rows *rows = &cutter->rows;
    for (size_t row = 0; row < half; row++)
        for (size_t way = 0; way < 2; way++)
            if (bit_get(bit_row(rows, row), parent + way))
                bit_set(bit_row(rows, row), half + way);
    for (size_t way = 0; way < 2; way++)
        memcpy(bit_row(rows, half + way), bit_row(rows, parent + way),
               rows->words * sizeof(uint64_t));
}

/* Through the cut the portals of the cluster behind it may be seen, and what they see. */
static void add_row_of_cut(struct cutter *cutter, size_t p)
{
    const struct portals *cut = &cutter->cut;
    struct bit_rows *rows = &cutter->rows;
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

static void add_rows(struct cutter *cutter)
{
    size_t first = (size_t)cutter->portals->count;
    for (size_t i = 0; i < (size_t)cutter->extra; i++)
        if (cutter->parents[i] >= 0)
            add_rows_of_half(cutter, first + 2 * i, 2 * (size_t)cutter->parents[i]);
    for (size_t way = 0; way < 2; way++)
        add_row_of_cut(cutter, first + 2 * (size_t)(cutter->extra - 1) + way);
}

static void take_rows(struct cutter *cutter)
{
    struct bit_rows *rows = &cutter->rows;
    size_t first = (size_t)cutter->portals->count, end = first + 2 * (size_t)EXTRA;
    for (size_t row = 0; row < first; row++)
        for (size_t q = bit_next(bit_row(rows, row), rows->words, first); q != SIZE_MAX;
             q = bit_next(bit_row(rows, row), rows->words, q + 1))
            bit_clear(bit_row(rows, row), q);
    memset(bit_row(rows, first), 0, (end - first) * rows->words * sizeof(uint64_t));
}

/* The two halves count as one. */
static int seen_from(const struct cutter *cutter, struct flow *flow, int half, int cluster,
                     int64_t max)
{
    const struct portals *cut = &cutter->cut;
    struct bit_rows seen = bit_rows_new(1, (size_t)cut->cluster_count);
    uint64_t *ways = memory_aligned(cutter->rows.words, sizeof *ways);
    bit_set(seen.data, (size_t)cluster);
    for (int i = cut->first[half]; i < cut->first[half + 1]; i++) {
        memset(ways, 0, cutter->rows.words * sizeof *ways);
        bit_set(seen.data, (size_t)cut->to[cut->leaving[i]]);
        flow_portal(flow, cut->leaving[i], max, ways);
        for (size_t q = bit_next(ways, cutter->rows.words, 0); q != SIZE_MAX;
             q = bit_next(ways, cutter->rows.words, q + 1))
            bit_set(seen.data, (size_t)cut->to[q]);
    }
    bit_clear(seen.data, (size_t)cut->cluster_count - 1);
    int count = (int)bit_count(seen.data, seen.words);
    memory_free(ways);
    memory_free(seen.data);
    return count;
}

bool cutter_try(struct cutter *cutter, int cluster, const struct bounds *box, int64_t max,
                struct cut *out)
{
    cutter->extra = 0;
    bool parted = part(cutter, cluster, box, out);
    int halves[2] = {cluster, cutter->whole.cluster_count};
    /* One portal of each is the cut. */
    for (int i = 0; i < 2 && parted; i++)
        parted = cutter->cut.first[halves[i] + 1] - cutter->cut.first[halves[i]] > 1;
    if (parted) {
        add_rows(cutter);
        struct flow *flow = flow_new(&cutter->cut, &cutter->rows);
        for (int i = 0; i < 2; i++)
            out->sees[i] = seen_from(cutter, flow, halves[i], cluster, max);
        flow_free(flow);
        take_rows(cutter);
    }
    portals_free(&cutter->cut);
    arrfree(cutter->prt.portals);
    arena_free(&cutter->prt.arena);
    cutter->prt = (struct prt){0};
    return parted;
}
