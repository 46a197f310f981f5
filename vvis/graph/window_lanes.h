/* What the flow does with windows, for the instruction set that the file is compiled for. */
#ifndef VVIS_GRAPH_WINDOW_LANES_H
#define VVIS_GRAPH_WINDOW_LANES_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

#include "vvis/flow/lanes/lanes.h"
#include "vvis/graph/window.h"

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
    unsigned before, behind; /* by more than so much */
    alignas(64) double distances[WINDOW_SLOTS];
};

static inline void window_sides(const struct window *window, const struct plane *plane, double near,
                                struct window_sides *out)
{
    struct lanes a = lanes_all(plane->normal.x), b = lanes_all(plane->normal.y),
                 c = lanes_all(plane->normal.z), dist = lanes_all(plane->dist);
    struct lanes over = lanes_all(near), under = lanes_all(-near);
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
/* The points of a window that has no more than there are lanes, and behind them copies of point 0.
 */
struct point_lanes {
    struct lanes x, y, z;
    int count;
};

static inline struct point_lanes points_load(const struct window *window)
{
    return (struct point_lanes){lanes_load(window->x), lanes_load(window->y), lanes_load(window->z),
                                window->count};
}

static inline void points_store(const struct point_lanes *points, struct window *out)
{
    lanes_store(out->x, points->x);
    lanes_store(out->y, points->y);
    lanes_store(out->z, points->z);
    window_put(out, LANES, out->x[0], out->y[0], out->z[0]);
    out->count = points->count;
}

/* What window_weave_points does, where the result is of no more points than there are lanes. */
static inline void points_weave(struct point_lanes *points, struct lanes distances, unsigned kept,
                                unsigned crossed, int count)
{
    struct lanes_weave weave = lanes_weave_of(kept, crossed, count);
    struct lanes t = lanes_div(distances, lanes_sub(distances, lanes_next(distances)));
    struct lanes *const all[3] = {&points->x, &points->y, &points->z};
    for (int i = 0; i < 3; i++) {
        struct lanes here = *all[i], step = lanes_sub(lanes_next(here), here);
        *all[i] = lanes_weave(here, lanes_add(here, lanes_mul(step, t)), weave);
    }
    points->count = count;
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
        struct point_lanes points = points_load(window);
        points_weave(&points, lanes_load(distances), kept, crossed, count);
        points_store(&points, out);
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

/* The points that a window keeps, and those that it gets a new one after. False when that would be
 * too many, or none worth the name. */
static inline bool window_cut_at(int points, unsigned before, unsigned behind, unsigned *kept,
                                 unsigned *crossed)
{
    *kept = ~behind & ((1u << points) - 1);
    *crossed = (before & bits_of_next(behind, points)) | (behind & bits_of_next(before, points));
    int count = __builtin_popcount(*kept) + __builtin_popcount(*crossed);
    return count >= 3 && count <= WINDOW_POINTS;
}

/* What window_clip does once it is known where the points are. */
static inline enum window_cut
window_clip_sides(const struct window *window, const struct window_sides *sides, struct window *out)
{
    if (!sides->behind)
        return WINDOW_WHOLE;
    if (!sides->before)
        return WINDOW_GONE;
    unsigned kept, crossed;
    if (!window_cut_at(window->count, sides->before, sides->behind, &kept, &crossed))
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
    window_sides(window, plane, VIS_EPSILON, &sides);
    return window_clip_sides(window, &sides, out);
}

/* The same, but a window that lies in the plane is gone: no line goes through both. */
static inline enum window_cut window_clip_ahead(const struct window *window,
                                                const struct plane *plane, struct window *out)
{
    struct window_sides sides;
    window_sides(window, plane, VIS_EPSILON, &sides);
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
    struct lanes up = lanes_mul(edges->right, ahead->way);
    struct lanes in = lanes_mul(lanes_sub(lanes_all(0), edges->above), ahead->way);
    struct lanes x = lanes_add(lanes_mul(ahead->a, up), lanes_mul(edges->u, in));
    struct lanes y = lanes_add(lanes_mul(ahead->b, up), lanes_mul(edges->v, in));
    struct lanes z = lanes_add(lanes_mul(ahead->c, up), lanes_mul(edges->w, in));
    struct lanes dist = lanes_dot(x, y, z, edges->x, edges->y, edges->z);
    int at = out->count;
    lanes_pack(&out->x[at], is, x);
    lanes_pack(&out->y[at], is, y);
    lanes_pack(&out->z[at], is, z);
    lanes_pack(&out->dist[at], is, dist);
    lanes_pack(&out->near[at], is, lanes_mul(length, lanes_all(VIS_EPSILON)));
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
        out->x[i] = out->y[i] = out->z[i] = out->near[i] = 0;
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
    struct lanes zero = lanes_all(0);
    *cutting = 0;
    for (int i = 0; i < separators->count; i += LANES) {
        struct lanes x = lanes_load(&separators->x[i]), y = lanes_load(&separators->y[i]),
                     z = lanes_load(&separators->z[i]);
        struct lanes distance =
            lanes_sub(lanes_dot(x, y, z, cx, cy, cz), lanes_load(&separators->dist[i]));
        struct lanes reach = lanes_dot(lanes_abs(x), lanes_abs(y), lanes_abs(z), hx, hy, hz);
        if (mask_bits(lanes_less(lanes_add(distance, reach), zero)))
            return true;
        struct lanes under = lanes_sub(zero, lanes_load(&separators->near[i]));
        *cutting |= mask_bits(lanes_less(lanes_sub(distance, reach), under)) << i;
    }
    return false;
}

static inline struct plane separator_plane(const struct separators *separators, int i)
{
    return (struct plane){vec3(separators->x[i], separators->y[i], separators->z[i]),
                          separators->dist[i]};
}

#ifdef LANES_WEAVE
/* Cuts the points by all the planes that `cutting` names; those that are left when there come to be
 * more points than lanes stay in it. False when nothing is left. */
static inline bool points_clip(const struct separators *separators, uint32_t *cutting,
                               struct point_lanes *points, bool *cut, int64_t *clips)
{
    for (; *cutting; *cutting &= *cutting - 1) {
        int i = __builtin_ctz(*cutting);
        ++*clips;
        struct lanes distances =
            lanes_sub(lanes_dot(lanes_all(separators->x[i]), lanes_all(separators->y[i]),
                                lanes_all(separators->z[i]), points->x, points->y, points->z),
                      lanes_all(separators->dist[i]));
        struct lanes over = lanes_all(separators->near[i]);
        struct lanes under = lanes_all(-separators->near[i]);
        unsigned all = (1u << points->count) - 1;
        unsigned behind = mask_bits(lanes_less(distances, under)) & all;
        if (!behind)
            continue;
        unsigned before = mask_bits(lanes_less(over, distances)) & all, kept, crossed;
        if (!before)
            return false;
        if (!window_cut_at(points->count, before, behind, &kept, &crossed))
            continue;
        int count = __builtin_popcount(kept) + __builtin_popcount(crossed);
        if (count > LANES) {
            --*clips; /* it is done again */
            return true;
        }
        points_weave(points, distances, kept, crossed, count);
        *cut = true;
    }
    return true;
}
#endif

/* What lies in front of all the separators that `cutting` names. The result is *window or one of
 * the two buffers, or NULL. */
static inline const struct window *separators_clip(const struct separators *separators,
                                                   uint32_t cutting, const struct window *window,
                                                   struct window *const buffers[2], int64_t *clips)
{
#ifdef LANES_WEAVE
    if (cutting && window->count <= LANES) {
        struct point_lanes points = points_load(window);
        bool cut = false;
        if (!points_clip(separators, &cutting, &points, &cut, clips))
            return NULL;
        if (cut) {
            points_store(&points, buffers[0]);
            window = buffers[0];
        }
    }
#endif
    for (; cutting; cutting &= cutting - 1) {
        int i = __builtin_ctz(cutting);
        struct plane plane = separator_plane(separators, i);
        struct window *out = buffers[window == buffers[0]];
        struct window_sides sides;
        ++*clips;
        window_sides(window, &plane, separators->near[i], &sides);
        enum window_cut result = window_clip_sides(window, &sides, out);
        if (result == WINDOW_GONE)
            return NULL;
        if (result == WINDOW_CUT)
            window = out;
    }
    return window;
}

#endif
