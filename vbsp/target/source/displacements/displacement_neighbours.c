/* Finds neighbours. An edge may lie on a whole edge of another displacement, on half of one, or
 * have one on each of its halves. Corners list those that touch there but share no edge. */
#include "vbsp/target/source/displacements/displacement.h"

#include "common/core/array.h"

#define SAME_PLACE 0.001

enum { NO_NEIGHBOUR = UINT16_MAX };

static bool same_place(struct vec3 a, struct vec3 b)
{
    return vec3_distance(a, b) < SAME_PLACE;
}

struct edge {
    struct vec3 ends[2];
};

static struct edge edge_of(const struct displacement *displacement, int edge, int span)
{
    const int *corners = displacement_edge_corners[edge];
    struct edge out = {{displacement->corners[corners[0]], displacement->corners[corners[1]]}};
    struct vec3 middle = vec3_lerp(out.ends[0], out.ends[1], 0.5);
    if (span)
        out.ends[span == SPAN_FIRST_HALF] = middle;
    return out;
}

static bool same_edge(const struct edge *a, const struct edge *b)
{
    return (same_place(a->ends[0], b->ends[0]) && same_place(a->ends[1], b->ends[1])) ||
           (same_place(a->ends[0], b->ends[1]) && same_place(a->ends[1], b->ends[0]));
}

struct link {
    int displacement, edge, span;
};

/* True if no neighbour lies on that part of the edge yet. */
static bool is_free(const struct displacement *own, const struct link *at)
{
    const struct bsp_disp_neighbour *slots = own->record.edges[at->edge];
    bool first = slots[0].displacement == NO_NEIGHBOUR,
         last = slots[1].displacement == NO_NEIGHBOUR;
    if (at->span == SPAN_WHOLE)
        return first && last;
    if (at->span == SPAN_FIRST_HALF)
        return first;
    return last && (first || slots[0].span != SPAN_WHOLE);
}

static void set_neighbour(struct displacement *own, const struct link *at, const struct link *other)
{
    struct bsp_disp_neighbour *slot = &own->record.edges[at->edge][at->span == SPAN_LAST_HALF];
    slot->displacement = other->displacement;
    slot->orientation = (uint8_t)((other->edge - at->edge - 2) & 3);
    slot->span = (uint8_t)at->span;
    slot->neighbour_span = (uint8_t)other->span;
}

/* Where three meet, the first two are neighbours: neighbours are always mutual. */
static void join_edges(struct displacement *const *list, int a, int edge_a, int b, int edge_b)
{
    static const int spans[][2] = {{SPAN_WHOLE, SPAN_WHOLE},
                                   {SPAN_WHOLE, SPAN_FIRST_HALF},
                                   {SPAN_WHOLE, SPAN_LAST_HALF},
                                   {SPAN_FIRST_HALF, SPAN_WHOLE},
                                   {SPAN_LAST_HALF, SPAN_WHOLE}};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        struct edge first = edge_of(list[a], edge_a, spans[i][0]);
        struct edge second = edge_of(list[b], edge_b, spans[i][1]);
        if (!same_edge(&first, &second))
            continue;
        struct link at = {a, edge_a, spans[i][0]}, other = {b, edge_b, spans[i][1]};
        if (!is_free(list[a], &at) || !is_free(list[b], &other))
            continue;
        set_neighbour(list[a], &at, &other);
        set_neighbour(list[b], &other, &at);
    }
}

static bool meets_at_edge(const struct displacement *displacement, int number)
{
    for (int edge = 0; edge < DISP_EDGES; edge++)
        for (int slot = 0; slot < 2; slot++)
            if (displacement->record.edges[edge][slot].displacement == number)
                return true;
    return false;
}

/* The corner of the mesh, which differs from that of the flat side when it was moved. */
static struct vec3 mesh_corner(const struct displacement *displacement, int corner)
{
    int side = displacement->map.side, last = side - 1;
    int column = corner >= 2 ? last : 0, row = corner == 1 || corner == 2 ? last : 0;
    return vec3_add(displacement->drawn[corner],
                    displacement->map.vertices[row * side + column].vector);
}

/* By comparison with Valve's output: flat sides that meet are not enough, while edges are joined by
 * the flat sides alone. */
static void join_corners(struct displacement *const *list, int a, int b)
{
    if (meets_at_edge(list[a], b))
        return;
    for (int i = 0; i < DISP_CORNERS; i++) {
        struct bsp_disp_corner *corner = &list[a]->record.corners[i];
        for (int j = 0; j < DISP_CORNERS && corner->count < 4; j++) {
            if (!same_place(mesh_corner(list[a], i), mesh_corner(list[b], j)))
                continue;
            corner->displacements[corner->count++] = b;
            break;
        }
    }
}

static void clear(struct displacement *displacement)
{
    for (int edge = 0; edge < DISP_EDGES; edge++)
        for (int slot = 0; slot < 2; slot++)
            displacement->record.edges[edge][slot] =
                (struct bsp_disp_neighbour){.displacement = NO_NEIGHBOUR};
}

static struct bounds corner_bounds(const struct displacement *displacement)
{
    struct bounds bounds = bounds_empty();
    for (int i = 0; i < 4; i++) {
        bounds_add_point(&bounds, displacement->corners[i]);
        bounds_add_point(&bounds, mesh_corner(displacement, i));
    }
    return bounds;
}

/* Calls `visit` for each pair whose corners come close to each other, a < b or both ways. */
typedef void visit_pair(struct displacement *const *list, int a, int b);

static void each_pair(struct displacement *const *list, size_t count, bool both, visit_pair *visit)
{
    struct bounds *bounds = NULL;
    for (size_t i = 0; i < count; i++)
        arrput(bounds, corner_bounds(list[i]));
    for (size_t i = 0; i < count; i++)
        for (size_t j = both ? 0 : i + 1; j < count; j++)
            if (i != j && bounds_touch(&bounds[i], &bounds[j], SAME_PLACE))
                visit(list, (int)i, (int)j);
    arrfree(bounds);
}

static void join_pair(struct displacement *const *list, int a, int b)
{
    for (int i = 0; i < DISP_EDGES; i++)
        for (int j = 0; j < DISP_EDGES; j++)
            join_edges(list, a, i, b, j);
}

void displacements_find_neighbours(struct displacement *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        clear(list[i]);
    each_pair(list, count, false, join_pair);
    each_pair(list, count, true, join_corners);
}
