/* Computes the allowed vertices.
 *
 * The engine draws a displacement as a quadtree: each square has a vertex in its centre and one at
 * the middle of each side, and is split into four smaller squares. A vertex on an edge that a
 * neighbour of lower power lacks must not be drawn, or a crack opens there. A square can only be
 * drawn if its four corners are; a vertex on its side only if the squares on both sides are; and a
 * vertex on a shared edge only if both displacements draw it. Vertices that may not be drawn are
 * moved onto the mesh of the others, so that collision and light match what is visible. */
#include "vbsp/target/source/displacements/displacement.h"

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
