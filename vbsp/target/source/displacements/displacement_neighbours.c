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

/* --- allowed vertices --- */

/* Computes the allowed vertices.
 *
 * The engine draws a displacement as a quadtree: each square has a vertex in its centre and one at
 * the middle of each side, and is split into four smaller squares. A vertex on an edge that a
 * neighbour of lower power lacks must not be drawn, or a crack opens there. A square can only be
 * drawn if its four corners are; a vertex on its side only if the squares on both sides are; and a
 * vertex on a shared edge only if both displacements draw it. Vertices that may not be drawn are
 * moved onto the mesh of the others, so that collision and light match what is visible. */

static void forbid_missing_on_span(struct displacement *own, int edge,
                                   const struct bsp_disp_neighbour *slot,
                                   const struct displacement *neighbour)
{
    int steps = displacement_span_steps(own, slot->span);
    int theirs = displacement_span_steps(neighbour, slot->neighbour_span);
    int start = displacement_span_start(own, slot->span);
    for (int i = 0; i < steps && theirs < steps; i++)
        if (i % (steps / theirs))
            own->allowed[displacement_edge_vertex(own, edge, start + i)] = false;
}

static void forbid_missing(struct displacement *const *list, size_t count, struct displacement *own)
{
    for (int edge = 0; edge < DISP_EDGES; edge++) {
        for (int i = 0; i < 2; i++) {
            const struct bsp_disp_neighbour *slot = &own->record.edges[edge][i];
            if ((size_t)slot->displacement < count)
                forbid_missing_on_span(own, edge, slot, list[slot->displacement]);
        }
    }
}

/* Processes squares by size, the largest first. */
static void forbid_dependants(struct displacement *own)
{
    int side = own->map.side, cells = side - 1;
    bool *allowed = own->allowed;
    for (int half = cells / 2; half >= 1; half /= 2) {
        for (int y = half; y < cells; y += 2 * half)
            for (int x = half; x < cells; x += 2 * half)
                for (int k = 0; k < 4; k++)
                    if (!allowed[(y + (k & 1 ? half : -half)) * side + x + (k & 2 ? half : -half)])
                        allowed[y * side + x] = false;
        for (int y = half; y < cells; y += 2 * half)
            for (int x = half; x < cells; x += 2 * half)
                if (!allowed[y * side + x])
                    allowed[y * side + x - half] = allowed[y * side + x + half] =
                        allowed[(y - half) * side + x] = allowed[(y + half) * side + x] = false;
    }
}

/* True if the neighbour's span runs in the opposite direction. */
static bool runs_back(const struct displacement *own, int edge, const struct displacement *other,
                      int other_edge)
{
    const int *mine = displacement_edge_corners[edge];
    const int *its = displacement_edge_corners[other_edge];
    return vec3_dot(vec3_sub(own->corners[mine[1]], own->corners[mine[0]]),
                    vec3_sub(other->corners[its[1]], other->corners[its[0]])) < 0;
}

/* Forbids the vertices that the other forbids; returns true if anything changed. */
static bool follow_span(struct displacement *own, int edge, const struct bsp_disp_neighbour *slot,
                        const struct displacement *other)
{
    int other_edge = (edge + 2 + slot->orientation) & 3;
    bool back = runs_back(own, edge, other, other_edge), changed = false;
    int steps = displacement_span_steps(own, slot->span);
    int theirs = displacement_span_steps(other, slot->neighbour_span);
    int common = steps < theirs ? steps : theirs;
    for (int i = 0; i <= common; i++) {
        int mine = displacement_edge_vertex(
            own, edge, displacement_span_start(own, slot->span) + i * (steps / common));
        int at = back ? common - i : i;
        int its = displacement_edge_vertex(other, other_edge,
                                           displacement_span_start(other, slot->neighbour_span) +
                                               at * (theirs / common));
        if (own->allowed[mine] && !other->allowed[its]) {
            own->allowed[mine] = false;
            changed = true;
        }
    }
    return changed;
}

static bool follow_neighbours(struct displacement *const *list, size_t count,
                              struct displacement *own)
{
    bool changed = false;
    for (int edge = 0; edge < DISP_EDGES; edge++) {
        for (int i = 0; i < 2; i++) {
            const struct bsp_disp_neighbour *slot = &own->record.edges[edge][i];
            if ((size_t)slot->displacement < count &&
                follow_span(own, edge, slot, list[slot->displacement]))
                changed = true;
        }
    }
    return changed;
}

/* Barycentric weights of a point; false if it lies outside of the triangle. */
static bool triangle_weights(const int corners[3][2], double x, double y, double weights[3])
{
    double ax = corners[0][0], ay = corners[0][1];
    double bx = corners[1][0] - ax, by = corners[1][1] - ay;
    double cx = corners[2][0] - ax, cy = corners[2][1] - ay;
    double area = bx * cy - by * cx;
    weights[1] = ((x - ax) * cy - (y - ay) * cx) / area;
    weights[2] = (bx * (y - ay) - by * (x - ax)) / area;
    weights[0] = 1 - weights[1] - weights[2];
    const double min = -1e-9;
    return weights[0] >= min && weights[1] >= min && weights[2] >= min;
}

/* Position of a vertex on the fan around the centre of a square. */
static struct vec3 point_on_fan(const struct displacement *own, int x, int y, const int middle[2],
                                int half)
{
    static const int ring[8][2] = {{-1, -1}, {0, -1}, {1, -1}, {1, 0},
                                   {1, 1},   {0, 1},  {-1, 1}, {-1, 0}};
    int side = own->map.side, corners[3][2] = {{middle[0], middle[1]}};
    int last[2] = {middle[0] - half, middle[1] - half};
    for (int i = 1; i <= 8; i++) {
        int next[2] = {middle[0] + ring[i % 8][0] * half, middle[1] + ring[i % 8][1] * half};
        if (i % 2 && !own->allowed[next[1] * side + next[0]])
            continue;
        memcpy(corners[1], last, sizeof last);
        memcpy(corners[2], next, sizeof next);
        memcpy(last, next, sizeof last);
        double weights[3];
        if (!triangle_weights(corners, x, y, weights))
            continue;
        struct vec3 point = vec3(0, 0, 0);
        for (int k = 0; k < 3; k++)
            point = vec3_mad(point, own->points[corners[k][1] * side + corners[k][0]], weights[k]);
        return point;
    }
    return own->points[y * side + x];
}

/* Position of a vertex on the mesh of allowed vertices. */
static struct vec3 point_on_mesh(const struct displacement *own, int x, int y)
{
    int side = own->map.side, half = (side - 1) / 2, middle[2] = {half, half};
    while (half > 1) {
        int next[2] = {middle[0] + (x < middle[0] ? -half : half) / 2,
                       middle[1] + (y < middle[1] ? -half : half) / 2};
        if (!own->allowed[next[1] * side + next[0]])
            break;
        memcpy(middle, next, sizeof middle);
        half /= 2;
    }
    return point_on_fan(own, x, y, middle, half);
}

static void place_points(struct displacement *own)
{
    int side = own->map.side;
    for (int i = 0; i < side * side; i++)
        own->points[i] =
            vec3_add(displacement_base(own, i / side, i % side), own->map.vertices[i].vector);
    /* Allowed vertices do not move, so the order is irrelevant. */
    for (int i = 0; i < side * side; i++)
        if (!own->allowed[i])
            own->points[i] = point_on_mesh(own, i % side, i / side);
}

static void write_bits(struct displacement *own)
{
    memset(own->record.allowed, 0xff, sizeof own->record.allowed);
    for (int i = 0; i < own->map.side * own->map.side; i++)
        if (!own->allowed[i])
            own->record.allowed[i >> 5] &= ~(UINT32_C(1) << (i & 31));
}

void displacements_find_allowed(struct displacement *const *list, size_t count, struct arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        size_t vertices = (size_t)list[i]->map.side * (size_t)list[i]->map.side;
        list[i]->allowed = ARENA_ARRAY(arena, bool, vertices);
        list[i]->points = ARENA_ARRAY(arena, struct vec3, vertices);
        memset(list[i]->allowed, true, vertices);
        forbid_missing(list, count, list[i]);
        forbid_dependants(list[i]);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < count; i++) {
            if (!follow_neighbours(list, count, list[i]))
                continue;
            forbid_dependants(list[i]);
            changed = true;
        }
    }
    for (size_t i = 0; i < count; i++) {
        place_points(list[i]);
        write_bits(list[i]);
    }
}
