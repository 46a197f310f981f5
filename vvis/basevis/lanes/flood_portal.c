/* The flood through portals, and the test whether two windows face each other. */
#include <string.h>

#include "vvis/basevis/flood.h"
#include "vvis/graph/bits.h"
#include "vvis/graph/window_lanes.h"

/* Returns whether a line through p can continue through q by their windows: neither is entirely
 * on the wrong side of the other. */
static bool windows_face(const struct portals *portals, int p, int q)
{
    struct window_sides sides;
    window_sides(&portals->windows[q], &portals->planes[p], VIS_EPSILON, &sides);
    if (!sides.before)
        return false;
    window_sides(&portals->windows[p], &portals->planes[q], VIS_EPSILON, &sides);
    return sides.behind != 0;
}

static void face_row(const struct portals *portals, size_t p, const uint64_t *unsure, uint64_t *row)
{
    size_t words = ((size_t)portals->count + 63) / 64;
    for (size_t word = 0; word < words; word++)
        for (uint64_t left = row[word] & unsure[word]; left; left &= left - 1) {
            size_t q = word * 64 + (size_t)__builtin_ctzll(left);
            if (!windows_face(portals, (int)p, (int)q))
                row[word] &= ~(left & -left);
        }
}

/* Tests what the boxes left unsure, once, and stores the result in the front rows. */
static bool in_front(struct flood *flood, int p, size_t q)
{
    uint64_t *front = flood->front.rows[p & 1];
    if (!bit_get(front, q))
        return false;
    const struct portals *portals = flood->portals;
    bool is = !bit_get(flood->front.unsure, q) || windows_face(portals, p, (int)q);
    if (is && flood->radius > 0)
        is = box_gap(&portals->boxes[p / 2], &portals->boxes[q / 2]) <= flood->radius;
    if (!is)
        bit_clear(front, q);
    return is;
}

static void flood_begin(struct flood *flood, int p, int through)
{
    flood->number++;
    flood->visited[flood->portals->to[p]] = flood->number;
    flood->visited[flood->portals->to[through]] = flood->number;
}

/* Floods everything that is in front of p. */
static void flood_unculled(struct flood *flood, int p, uint64_t *row)
{
    const struct portals *portals = flood->portals;
    int depth = 0;
    flood_begin(flood, p, p);
    flood->stack[depth++] = portals->to[p];
    while (depth) {
        int cluster = flood->stack[--depth];
        for (int i = portals->first[cluster]; i < portals->first[cluster + 1]; i++) {
            int q = portals->leaving[i];
            if (!in_front(flood, p, (size_t)q))
                continue;
            bit_set(row, (size_t)q);
            if (flood->visited[portals->to[q]] == flood->number)
                continue;
            flood->visited[portals->to[q]] = flood->number;
            flood->stack[depth++] = portals->to[q];
        }
    }
}

/* Builds the frustum through p and then q. Returns false when nothing is left. */
static bool frustum_of(const struct portals *portals, int p, int q, struct separators *out)
{
    struct window source_cut, pass_cut;
    const struct window *source = &portals->windows[p], *pass = &portals->windows[q];
    switch (window_clip(source, &portals->planes[q ^ 1], &source_cut)) {
    case WINDOW_GONE:
        return false;
    case WINDOW_CUT:
        source = &source_cut;
        break;
    case WINDOW_WHOLE:
        break;
    }
    switch (window_clip(pass, &portals->planes[p], &pass_cut)) {
    case WINDOW_GONE:
        return false;
    case WINDOW_CUT:
        pass = &pass_cut;
        break;
    case WINDOW_WHOLE:
        break;
    }
    separators_build(source, &portals->planes[p], pass, &portals->planes[q], out);
    return true;
}

static bool behind_plane(const struct box *box, const struct plane *plane)
{
    return plane_distance(plane, box->center) + box_extent(box, plane->normal) < VIS_EPSILON;
}

/* Continues from q inside the frustum. Returns false when that takes too many tests. */
static bool flood_through(struct flood *flood, int p, int q, int64_t end, uint64_t *row)
{
    const struct portals *portals = flood->portals;
    struct separators frustum;
    if (!frustum_of(portals, p, q, &frustum))
        return true;
    bit_set(row, (size_t)q);
    int depth = 0;
    flood_begin(flood, p, q);
    flood->stack[depth++] = portals->to[q];
    while (depth) {
        int cluster = flood->stack[--depth];
        for (int i = portals->first[cluster]; i < portals->first[cluster + 1]; i++) {
            int r = portals->leaving[i];
            const struct box *box = &portals->boxes[r / 2];
            uint32_t cutting;
            if (flood->visited[portals->to[r]] == flood->number && bit_get(row, (size_t)r))
                continue;
            if (!in_front(flood, p, (size_t)r))
                continue;
            flood->tests++;
            if (behind_plane(box, &portals->planes[q]) ||
                separators_behind(&frustum, box, &cutting))
                continue;
            bit_set(row, (size_t)r);
            if (flood->visited[portals->to[r]] == flood->number)
                continue;
            flood->visited[portals->to[r]] = flood->number;
            flood->stack[depth++] = portals->to[r];
        }
        if (flood->tests > end)
            return false;
    }
    return true;
}

static void flood_portal(struct flood *flood, int p, uint64_t *row)
{
    const struct portals *portals = flood->portals;
    int64_t end = flood->tests + flood->max;
    int cluster = portals->to[p];
    for (int i = portals->first[cluster]; i < portals->first[cluster + 1]; i++) {
        int q = portals->leaving[i];
        if (!in_front(flood, p, (size_t)q))
            continue;
        if (!flood_through(flood, p, q, end, row)) {
            flood->unculled++;
            flood_unculled(flood, p, row);
            return;
        }
    }
}

front_rows_function ISA(front_rows);
extern const struct base_kernels ISA(base_kernels);
const struct base_kernels ISA(base_kernels) = {
    .front_rows = ISA(front_rows),
    .face_row = face_row,
    .flood_portal = flood_portal,
};
