#include "ballance/compile/outer_hull_internal.h"

#include <stdlib.h>

#include "vbsp/faces/vertex_pool.h"

/* Coordinates this close to a whole number are that. */
#define SNAP 1e-4

struct edge_key {
    int low, high;
};

/* The vertex that splits an edge, or -1. */
struct edge_split {
    struct edge_key key;
    int value;
};

struct edges {
    double weld;
    struct vertex_pool pool;
    struct bsp_vertex *vertices;
    struct edge_split *splits;
    struct vertex_on_edge *found;
    struct area_edge *list; /* stb_ds array */
    int *open;              /* stb_ds array: vertices that are still to be reached */
};

/* --- vertices on edges --- */

static int find_split(struct edges *edges, struct edge_key key)
{
    int best = -1;
    double nearest = 0;
    arrsetlen(edges->found, 0);
    vertex_pool_on_edge(&edges->pool, key.low, key.high, edges->weld, &edges->found);
    for (size_t i = 0; i < arrlenu(edges->found); i++) {
        const struct vertex_on_edge *found = &edges->found[i];
        if (best >= 0 && found->off >= nearest)
            continue;
        best = found->vertex;
        nearest = found->off;
    }
    return best;
}

static int split_of(struct edges *edges, int from, int to)
{
    struct edge_key key = {from < to ? from : to, from < to ? to : from};
    ptrdiff_t at = hmgeti(edges->splits, key);
    if (at >= 0)
        return edges->splits[at].value;
    int split = find_split(edges, key);
    hmput(edges->splits, key, split);
    return split;
}

/* Adds the parts of an edge. The nearest vertex splits it, and then its parts in the same way, so
 * that an edge is split as its parts are where they stand alone. */
static void add_edge(struct edges *edges, const struct fragment *fragment, int from, int to)
{
    arrput(edges->open, to);
    while (arrlenu(edges->open)) {
        int next = arrlast(edges->open), split = split_of(edges, from, next);
        if (split >= 0) {
            arrput(edges->open, split);
            continue;
        }
        struct area_edge edge = {fragment->plane, fragment->group, from, next};
        arrput(edges->list, edge);
        from = arrpop(edges->open);
    }
}

static void add_fragments(struct edges *edges, const struct fragment *fragments)
{
    int **outlines = NULL;
    for (size_t i = 0; i < arrlenu(fragments); i++)
        arrput(outlines, vertex_pool_outline(&edges->pool, fragments[i].winding));
    for (size_t i = 0; i < arrlenu(fragments); i++) {
        const int *outline = outlines[i];
        size_t count = arrlenu(outline);
        for (size_t k = 0; k < count && count > 2; k++)
            add_edge(edges, &fragments[i], outline[k], outline[(k + 1) % count]);
        arrfree(outlines[i]);
    }
    arrfree(outlines);
}

/* --- edges that cancel --- */

static int low_of(const struct area_edge *edge)
{
    return edge->from < edge->to ? edge->from : edge->to;
}

static int high_of(const struct area_edge *edge)
{
    return edge->from < edge->to ? edge->to : edge->from;
}

static int compare(int a, int b)
{
    return (a > b) - (a < b);
}

static int by_place(const struct area_edge *a, const struct area_edge *b)
{
    int order = compare(low_of(a), low_of(b));
    return order ? order : compare(high_of(a), high_of(b));
}

static int by_area(const struct area_edge *a, const struct area_edge *b)
{
    int order = compare(a->plane, b->plane);
    return order ? order : compare(a->group, b->group);
}

static int area_order(const void *a, const void *b)
{
    int order = by_area(a, b);
    order = order ? order : by_place(a, b);
    return order
               ? order
               : compare(((const struct area_edge *)a)->from, ((const struct area_edge *)b)->from);
}

static int place_order(const void *a, const void *b)
{
    int order = by_place(a, b);
    return order ? order : area_order(a, b);
}

/* Removes the edges of an area that it has in both directions; sorts by area. */
static void cancel_edges(struct area_edge *list)
{
    size_t count = arrlenu(list), kept = 0;
    if (count)
        qsort(list, count, sizeof *list, area_order);
    for (size_t i = 0, end; i < count; i = end) {
        struct area_edge edge = list[i];
        int net = 0;
        for (end = i; end < count && !by_area(&list[end], &edge) && !by_place(&list[end], &edge);
             end++)
            net += list[end].from < list[end].to ? 1 : -1;
        edge.from = net > 0 ? low_of(&list[i]) : high_of(&list[i]);
        edge.to = net > 0 ? high_of(&list[i]) : low_of(&list[i]);
        for (int k = 0; k < abs(net); k++)
            list[kept++] = edge;
    }
    if (count)
        arrsetlen(list, kept);
}

/* Returns the number of edges that do not have as many areas on both sides. Sorts by place. */
static size_t count_open(struct area_edge *list)
{
    size_t count = arrlenu(list), open = 0;
    if (count)
        qsort(list, count, sizeof *list, place_order);
    for (size_t i = 0, end; i < count; i = end) {
        int net = 0;
        for (end = i; end < count && !by_place(&list[end], &list[i]); end++)
            net += list[end].from < list[end].to ? 1 : -1;
        open += net != 0;
    }
    return open;
}

/* --- vertices that bend nothing: within half the welding distance of the line --- */

struct bend {
    int neighbours[2]; /* -1: none */
    bool kept;
};

static void note_neighbour(struct bend *bend, int vertex)
{
    for (int i = 0; i < 2; i++) {
        if (bend->neighbours[i] == vertex)
            return;
        if (bend->neighbours[i] < 0) {
            bend->neighbours[i] = vertex;
            return;
        }
    }
    bend->kept = true;
}

static bool is_straight(const struct edges *edges, int from, int to, int vertex)
{
    struct vec3 a = vertex_pool_at(&edges->pool, from), b = vertex_pool_at(&edges->pool, to);
    struct vec3 line = vec3_sub(b, a);
    struct vec3 off = vec3_sub(vertex_pool_at(&edges->pool, vertex), a);
    double length = vec3_length(line), along = vec3_dot(off, line);
    return along > 0 && along < length * length &&
           vec3_length(vec3_cross(off, line)) < edges->weld / 2 * length;
}

static int neighbour_after(const struct bend *bend, int before)
{
    return bend->neighbours[bend->neighbours[0] == before];
}

/* Keeps the vertices between two that are kept unless all are straight together. Returns the second
 * of them. */
static int settle_chain(const struct edges *edges, struct bend *bends, int start, int next)
{
    int before = start, end = next;
    while (!bends[end].kept) {
        int after = neighbour_after(&bends[end], before);
        before = end;
        end = after;
    }
    bool straight = true;
    before = start;
    for (int at = next, after; at != end; before = at, at = after) {
        after = neighbour_after(&bends[at], before);
        straight &= is_straight(edges, start, end, at);
    }
    before = start;
    for (int at = next, after; at != end && !straight; before = at, at = after) {
        after = neighbour_after(&bends[at], before);
        bends[at].kept = true;
    }
    return end;
}

static struct bend *find_bends(const struct edges *edges)
{
    size_t count = arrlenu(edges->vertices);
    struct bend *bends = memory_alloc((count + 1) * sizeof *bends);
    for (size_t i = 0; i < count; i++)
        bends[i] = (struct bend){.neighbours = {-1, -1}};
    for (size_t i = 0; i < arrlenu(edges->list); i++) {
        note_neighbour(&bends[edges->list[i].from], edges->list[i].to);
        note_neighbour(&bends[edges->list[i].to], edges->list[i].from);
    }
    for (size_t i = 0; i < count; i++) {
        const int *sides = bends[i].neighbours;
        bends[i].kept |= sides[1] < 0 || !is_straight(edges, sides[0], sides[1], (int)i);
    }
    return bends;
}

/* Joins the edges at vertices where no area has another edge, and which are straight. */
static void straighten(struct edges *edges)
{
    struct bend *bends = find_bends(edges);
    struct area_edge *list = edges->list;
    size_t kept = 0;
    for (size_t i = 0; i < arrlenu(list); i++)
        if (bends[list[i].from].kept)
            settle_chain(edges, bends, list[i].from, list[i].to);
    for (size_t i = 0; i < arrlenu(list); i++) {
        struct area_edge edge = list[i];
        if (!bends[edge.from].kept)
            continue;
        edge.to = settle_chain(edges, bends, edge.from, edge.to);
        list[kept++] = edge;
    }
    if (list)
        arrsetlen(list, kept);
    memory_free(bends);
}

struct area_edge *outer_edges(const struct fragment *fragments, double weld, struct outer_hull *out)
{
    struct edges edges = {.weld = weld};
    vertex_pool_init(&edges.pool, &edges.vertices, false);
    edges.pool.weld = weld;
    edges.pool.snap = SNAP;
    add_fragments(&edges, fragments);
    cancel_edges(edges.list);
    straighten(&edges);
    out->open_edges = count_open(edges.list);
    if (edges.list)
        qsort(edges.list, arrlenu(edges.list), sizeof *edges.list, area_order);
    for (size_t i = 0; i < arrlenu(edges.vertices); i++)
        arrput(out->vertices, vertex_pool_at(&edges.pool, (int)i));
    vertex_pool_free(&edges.pool);
    arrfree(edges.vertices);
    hmfree(edges.splits);
    arrfree(edges.found);
    arrfree(edges.open);
    return edges.list;
}
