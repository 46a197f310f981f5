/* What the flow does with windows, for the instruction set that the file is compiled for. */
#ifndef VVIS_LANES_WINDOW_LANES_H
#define VVIS_LANES_WINDOW_LANES_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

#include "vvis/lanes/lanes.h"
#include "vvis/window.h"

/* An edge shorter than this gives no direction. */
#define EDGE_MIN 1e-3

static inline void window_put(struct window *window, int at, double x, double y, double z)
{
    window->x[at] = x;
    window->y[at] = y;
    window->z[at] = z;
}

/* Where a window is to a plane: a bit a point. */
struct window_sides {
    unsigned before, behind; /* by more than VIS_EPSILON */
    alignas(64) double distances[WINDOW_SLOTS];
};

static inline void window_sides(const struct window *window, const struct plane *plane,
                                struct window_sides *out)
{
    struct lanes a = lanes_all(plane->normal.x), b = lanes_all(plane->normal.y),
                 c = lanes_all(plane->normal.z), dist = lanes_all(plane->dist);
    struct lanes over = lanes_all(VIS_EPSILON), under = lanes_all(-VIS_EPSILON);
    out->before = out->behind = 0;
    for (int i = 0; i < window->count; i += LANES) {
        struct lanes distance =
            lanes_sub(lanes_dot(a, b, c, lanes_load(&window->x[i]), lanes_load(&window->y[i]),
                                lanes_load(&window->z[i])),
                      dist);
        lanes_store(&out->distances[i], distance);
        out->before |= mask_bits(lanes_less(over, distance)) << i;
        out->behind |= mask_bits(lanes_less(distance, under)) << i;
    }
    unsigned points = (1u << window->count) - 1;
    out->before &= points;
    out->behind &= points;
}

/* Bit i of the result is bit i + 1, around the window. */
static inline unsigned bits_of_next(unsigned bits, int count)
{
    return bits >> 1 | (bits & 1) << (count - 1);
}

static inline void window_put_crossing(const struct window *window, const double *distances, int i,
                                       struct window *out, int at)
{
    int next = i + 1 < window->count ? i + 1 : 0;
    double t = distances[i] / (distances[i] - distances[next]);
    window_put(out, at, window->x[i] + (window->x[next] - window->x[i]) * t,
               window->y[i] + (window->y[next] - window->y[i]) * t,
               window->z[i] + (window->z[next] - window->z[i]) * t);
}

/* The points of `kept`, and after each of `crossed` the crossing to the next. */
static inline void window_weave_points(const struct window *window, const double *distances,
                                       unsigned kept, unsigned crossed, struct window *out)
{
    int at = 0;
    unsigned left = kept | crossed;
    do {
        int i = __builtin_ctz(left);
        if (kept >> i & 1)
            window_put(out, at++, window->x[i], window->y[i], window->z[i]);
        if (crossed >> i & 1)
            window_put_crossing(window, distances, i, out, at++);
        left &= left - 1;
    } while (left);
    out->count = at;
    double x = out->x[0], y = out->y[0], z = out->z[0];
    for (int end = (at + LANES - 1) / LANES * LANES; at <= end; at++)
        window_put(out, at, x, y, z);
}

#ifdef LANES_WEAVE
/* One coordinate of what window_weave_points does. */
static inline void weave_lanes(const double *from, const struct lanes_weave *weave, struct lanes t,
                               double *out)
{
    struct lanes here = lanes_load(from);
    struct lanes step = lanes_sub(lanes_next(here, weave), here);
    struct lanes woven = lanes_weave(here, lanes_add(here, lanes_mul(step, t)), weave);
    lanes_store(out, woven);
    out[LANES] = out[0];
}
#endif

/* The same, all points at once where that goes: no branch is taken by chance, and what is written
 * is read again as it was written. */
static inline void window_weave(const struct window *window, const double *distances, unsigned kept,
                                unsigned crossed, struct window *out)
{
#ifdef LANES_WEAVE
    int count = __builtin_popcount(kept) + __builtin_popcount(crossed);
    if (window->count <= LANES && count <= LANES) {
        struct lanes_weave weave = lanes_weave_of(window->count, kept, crossed, count);
        struct lanes here = lanes_load(distances);
        struct lanes t = lanes_div(here, lanes_sub(here, lanes_next(here, &weave)));
        weave_lanes(window->x, &weave, t, out->x);
        weave_lanes(window->y, &weave, t, out->y);
        weave_lanes(window->z, &weave, t, out->z);
        out->count = count;
        return;
    }
#endif
    window_weave_points(window, distances, kept, crossed, out);
}

/* Less to move than the whole struct. */
static inline void window_copy(const struct window *window, struct window *out)
{
    out->count = window->count;
    int i = 0;
    for (; i < window->count; i += LANES) {
        lanes_store(&out->x[i], lanes_load(&window->x[i]));
        lanes_store(&out->y[i], lanes_load(&window->y[i]));
        lanes_store(&out->z[i], lanes_load(&window->z[i]));
    }
    window_put(out, i, window->x[i], window->y[i], window->z[i]);
}

/* What window_clip does once it is known where the points are. */
static inline enum window_cut
window_clip_sides(const struct window *window, const struct window_sides *sides, struct window *out)
{
    if (!sides->behind)
        return WINDOW_WHOLE;
    if (!sides->before)
        return WINDOW_GONE;
    int n = window->count;
    unsigned kept = ~sides->behind & ((1u << n) - 1);
    unsigned crossed = (sides->before & bits_of_next(sides->behind, n)) |
                       (sides->behind & bits_of_next(sides->before, n));
    int count = __builtin_popcount(kept) + __builtin_popcount(crossed);
    if (count < 3 || count > WINDOW_POINTS)
        return WINDOW_WHOLE;
    window_weave(window, sides->distances, kept, crossed, out);
    return WINDOW_CUT;
}

/* Keeps what is in front of the plane. *out is set only when the window was cut. A window with no
 * point more than VIS_EPSILON behind is whole; with none more than that in front, gone. One that
 * would get too many points stays whole: what is seen through it is not less. */
static inline enum window_cut window_clip(const struct window *window, const struct plane *plane,
                                          struct window *out)
{
    struct window_sides sides;
    window_sides(window, plane, &sides);
    return window_clip_sides(window, &sides, out);
}

/* The same, but a window that lies in the plane is gone: no line goes through both. */
static inline enum window_cut window_clip_ahead(const struct window *window,
                                                const struct plane *plane, struct window *out)
{
    struct window_sides sides;
    window_sides(window, plane, &sides);
    return sides.before ? window_clip_sides(window, &sides, out) : WINDOW_GONE;
}

/* The edges of a window from point `first` on, in lanes, and what their separators are found by.
 */
struct edge_lanes {
    struct lanes x, y, z; /* a point of the edge */
    struct lanes u, v, w; /* in the window's plane, square to the edge, as long, to its inside */
    struct lanes square;  /* of the edge's length */
    struct lanes right, above; /* the line that just misses the other window: see tangents */
    struct lane_mask beside;   /* the other window is beside the edge: no separator */
};

/* x, y and z: the next points; a, b, c: the normal of the window's plane. */
static inline void edges_turn(struct edge_lanes *edges, struct lanes x, struct lanes y,
                              struct lanes z, struct lanes a, struct lanes b, struct lanes c)
{
    x = lanes_sub(x, edges->x);
    y = lanes_sub(y, edges->y);
    z = lanes_sub(z, edges->z);
    edges->square = lanes_dot(x, y, z, x, y, z);
    edges->u = lanes_sub(lanes_mul(y, c), lanes_mul(z, b));
    edges->v = lanes_sub(lanes_mul(z, a), lanes_mul(x, c));
    edges->w = lanes_sub(lanes_mul(x, b), lanes_mul(y, a));
}

static inline void edges_load(const struct window *window, const struct plane *plane, int first,
                              struct edge_lanes *out)
{
    out->x = lanes_load(&window->x[first]);
    out->y = lanes_load(&window->y[first]);
    out->z = lanes_load(&window->z[first]);
    edges_turn(out, lanes_load(&window->x[first + 1]), lanes_load(&window->y[first + 1]),
               lanes_load(&window->z[first + 1]), lanes_all(plane->normal.x),
               lanes_all(plane->normal.y), lanes_all(plane->normal.z));
}

/* What is added to the edges' own: the other window, and which way it lies. */
struct ahead_lanes {
    struct lanes a, b, c; /* the normal of the edges' window, towards the other one */
    struct lanes way;     /* 1 when the edges are those of the source, -1 when of the pass */
};

static inline void tangents_begin(struct edge_lanes *edges)
{
    edges->right = lanes_all(-1);
    edges->above = lanes_all(0);
    edges->beside = mask_none();
}

/* Looks along each edge: the window lies to the right on the ground, the other window above the
 * ground. The line from the edge that just misses the other window on the right: its direction
 * goes to `right` (in lengths of the edge) and `above`; that is 0 when all of the other window is
 * on the edge or below the ground. A point of the other window at a time. */
static inline void tangents_add(struct edge_lanes *edges, const struct ahead_lanes *ahead,
                                struct lanes px, struct lanes py, struct lanes pz)
{
    struct lanes zero = lanes_all(0), epsilon = lanes_all(VIS_EPSILON);
    struct lanes near = lanes_mul(lanes_all(VIS_EPSILON * VIS_EPSILON), edges->square);
    struct lanes x = lanes_sub(px, edges->x);
    struct lanes y = lanes_sub(py, edges->y);
    struct lanes z = lanes_sub(pz, edges->z);
    struct lanes right = lanes_dot(x, y, z, edges->u, edges->v, edges->w);
    struct lanes above = lanes_dot(x, y, z, ahead->a, ahead->b, ahead->c);
    struct lane_mask low = lanes_less(above, epsilon);
    struct lane_mask off =
        mask_and(lanes_less(zero, right), lanes_less(near, lanes_mul(right, right)));
    edges->beside = mask_or(edges->beside, mask_and(low, off));
    struct lane_mask better =
        lanes_less(lanes_mul(edges->right, above), lanes_mul(right, edges->above));
    better = mask_without(better, low);
    edges->right = lanes_select(better, right, edges->right);
    edges->above = lanes_select(better, above, edges->above);
}

/* Adds the separators of the edges, which their tangents are known of. */
static inline void separators_put(const struct edge_lanes *edges, const struct ahead_lanes *ahead,
                                  struct separators *out)
{
    struct lane_mask is = mask_without(lanes_less(lanes_all(0), edges->above), edges->beside);
    is = mask_without(is, lanes_less(edges->square, lanes_all(EDGE_MIN * EDGE_MIN)));
    struct lanes length =
        lanes_root(lanes_add(lanes_mul(edges->right, edges->right),
                             lanes_mul(lanes_mul(edges->above, edges->above), edges->square)));
    struct lanes scale = lanes_div(ahead->way, length);
    struct lanes up = lanes_mul(edges->right, scale);
    struct lanes in = lanes_mul(lanes_sub(lanes_all(0), edges->above), scale);
    struct lanes x = lanes_add(lanes_mul(ahead->a, up), lanes_mul(edges->u, in));
    struct lanes y = lanes_add(lanes_mul(ahead->b, up), lanes_mul(edges->v, in));
    struct lanes z = lanes_add(lanes_mul(ahead->c, up), lanes_mul(edges->w, in));
    struct lanes dist = lanes_dot(x, y, z, edges->x, edges->y, edges->z);
    int at = out->count;
    lanes_pack(&out->x[at], is, x);
    lanes_pack(&out->y[at], is, y);
    lanes_pack(&out->z[at], is, z);
    lanes_pack(&out->dist[at], is, dist);
    out->count = at + __builtin_popcount(mask_bits(is));
}

static inline void separators_of_edges(const struct window *window, const struct plane *plane,
                                       struct vec3 normal, const struct window *other, double way,
                                       struct separators *out)
{
    const struct ahead_lanes ahead = {lanes_all(normal.x), lanes_all(normal.y), lanes_all(normal.z),
                                      lanes_all(way)};
    for (int first = 0; first < window->count; first += LANES) {
        struct edge_lanes edges;
        edges_load(window, plane, first, &edges);
        tangents_begin(&edges);
        for (int i = 0; i < other->count; i++)
            tangents_add(&edges, &ahead, lanes_all(other->x[i]), lanes_all(other->y[i]),
                         lanes_all(other->z[i]));
        separators_put(&edges, &ahead, out);
    }
}

/* Both windows at once, when neither has more than four points: what is done to each edge is the
 * same. Where one has fewer, points and edges are there again that are there already. */
static inline void separators_of_both(const struct window *source, const struct plane *source_plane,
                                      const struct window *pass, const struct plane *pass_plane,
                                      struct separators *out)
{
    struct vec3 from = source_plane->normal, to = pass_plane->normal;
    const struct ahead_lanes ahead = {lanes_both(from.x, -to.x), lanes_both(from.y, -to.y),
                                      lanes_both(from.z, -to.z), lanes_both(1, -1)};
    struct edge_lanes edges = {.x = lanes_halves(source->x, pass->x),
                               .y = lanes_halves(source->y, pass->y),
                               .z = lanes_halves(source->z, pass->z)};
    edges_turn(&edges, lanes_halves(source->x + 1, pass->x + 1),
               lanes_halves(source->y + 1, pass->y + 1), lanes_halves(source->z + 1, pass->z + 1),
               lanes_both(from.x, to.x), lanes_both(from.y, to.y), lanes_both(from.z, to.z));
    tangents_begin(&edges);
    int points = source->count > pass->count ? source->count : pass->count;
    for (int i = 0; i < points; i++)
        tangents_add(&edges, &ahead, lanes_both(pass->x[i], source->x[i]),
                     lanes_both(pass->y[i], source->y[i]), lanes_both(pass->z[i], source->z[i]));
    separators_put(&edges, &ahead, out);
}

/* The planes through an edge of one window and a point of the other that have `source` behind and
 * `pass` in front. A line that crosses first the source, then the pass, goes on in front of all of
 * them. The planes' normals look the way of the line. (Teller's separating planes, restricted to
 * those through an edge.) */
static inline void separators_build(const struct window *source, const struct plane *source_plane,
                                    const struct window *pass, const struct plane *pass_plane,
                                    struct separators *out)
{
    out->count = 0;
    if (source->count <= LANES / 2 && pass->count <= LANES / 2) {
        separators_of_both(source, source_plane, pass, pass_plane, out);
    } else {
        separators_of_edges(source, source_plane, source_plane->normal, pass, 1, out);
        separators_of_edges(pass, pass_plane, vec3_neg(pass_plane->normal), source, -1, out);
    }
    for (int i = out->count; i % LANES; i++) {
        out->x[i] = out->y[i] = out->z[i] = 0;
        out->dist[i] = -DBL_MAX;
    }
}

/* Whether the box lies wholly behind one of the separators. If not, *cutting has those that it is
 * not wholly in front of. */
static inline bool separators_behind(const struct separators *separators, const struct box *box,
                                     uint32_t *cutting)
{
    struct lanes cx = lanes_all(box->center.x), cy = lanes_all(box->center.y),
                 cz = lanes_all(box->center.z);
    struct lanes hx = lanes_all(box->half.x), hy = lanes_all(box->half.y),
                 hz = lanes_all(box->half.z);
    struct lanes zero = lanes_all(0), under = lanes_all(-VIS_EPSILON);
    *cutting = 0;
    for (int i = 0; i < separators->count; i += LANES) {
        struct lanes x = lanes_load(&separators->x[i]), y = lanes_load(&separators->y[i]),
                     z = lanes_load(&separators->z[i]);
        struct lanes distance =
            lanes_sub(lanes_dot(x, y, z, cx, cy, cz), lanes_load(&separators->dist[i]));
        struct lanes reach = lanes_dot(lanes_abs(x), lanes_abs(y), lanes_abs(z), hx, hy, hz);
        if (mask_bits(lanes_less(lanes_add(distance, reach), zero)))
            return true;
        *cutting |= mask_bits(lanes_less(lanes_sub(distance, reach), under)) << i;
    }
    return false;
}

/* What lies in front of all the separators that `cutting` names. The result is *window or one of
 * the two buffers, or NULL. */
static inline const struct window *separators_clip(const struct separators *separators,
                                                   uint32_t cutting, const struct window *window,
                                                   struct window *const buffers[2], int64_t *clips)
{
    for (; cutting; cutting &= cutting - 1) {
        int i = __builtin_ctz(cutting);
        struct plane plane = {vec3(separators->x[i], separators->y[i], separators->z[i]),
                              separators->dist[i]};
        struct window *out = buffers[window == buffers[0]];
        ++*clips;
        enum window_cut result = window_clip(window, &plane, out);
        if (result == WINDOW_GONE)
            return NULL;
        if (result == WINDOW_CUT)
            window = out;
    }
    return window;
}

#endif
