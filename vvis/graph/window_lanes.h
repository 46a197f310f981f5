/* What the flow does with windows, for the instruction set that the file is compiled for. */
#ifndef VVIS_GRAPH_WINDOW_LANES_H
#define VVIS_GRAPH_WINDOW_LANES_H

#include <assert.h>
#include <float.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/simd/lanes.h"
#include "vvis/graph/window.h"

static_assert((int)DOUBLES == WINDOW_LANES, "windows are laid out for these lanes");

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
    struct doubles a = doubles_all(plane->normal.x), b = doubles_all(plane->normal.y),
                   c = doubles_all(plane->normal.z), dist = doubles_all(plane->dist);
    struct doubles over = doubles_all(near), under = doubles_all(-near);
    out->before = out->behind = 0;
    for (int i = 0; i < window->count; i += DOUBLES) {
        struct doubles distance =
            doubles_sub(doubles_dot(a, b, c, doubles_load(&window->x[i]),
                                    doubles_load(&window->y[i]), doubles_load(&window->z[i])),
                        dist);
        doubles_store(&out->distances[i], distance);
        out->before |= doubles_bits(doubles_less(over, distance)) << i;
        out->behind |= doubles_bits(doubles_less(distance, under)) << i;
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
    for (int end = (at + DOUBLES - 1) / DOUBLES * DOUBLES; at <= end; at++)
        window_put(out, at, x, y, z);
}

#ifdef DOUBLES_WEAVE
/* The points of a window that has no more than there are lanes, and behind them copies of point 0.
 */
struct point_lanes {
    struct doubles x, y, z;
    int count;
};

static inline struct point_lanes points_load(const struct window *window)
{
    return (struct point_lanes){doubles_load(window->x), doubles_load(window->y),
                                doubles_load(window->z), window->count};
}

static inline void points_store(const struct point_lanes *points, struct window *out)
{
    doubles_store(out->x, points->x);
    doubles_store(out->y, points->y);
    doubles_store(out->z, points->z);
    window_put(out, DOUBLES, out->x[0], out->y[0], out->z[0]);
    out->count = points->count;
}

/* What window_weave_points does, where the result is of no more points than there are lanes. */
static inline void points_weave(struct point_lanes *points, struct doubles distances, unsigned kept,
                                unsigned crossed, int count)
{
    struct doubles_order weave = doubles_order_of(kept, crossed, count);
    struct doubles t = doubles_div(distances, doubles_sub(distances, doubles_next(distances)));
    struct doubles *const all[3] = {&points->x, &points->y, &points->z};
    for (int i = 0; i < 3; i++) {
        struct doubles here = *all[i], step = doubles_sub(doubles_next(here), here);
        *all[i] = doubles_weave(here, doubles_add(here, doubles_mul(step, t)), weave);
    }
    points->count = count;
}
#endif

/* The same, all points at once where that goes: no branch is taken by chance, and what is written
 * is read again as it was written. */
static inline void window_weave(const struct window *window, const double *distances, unsigned kept,
                                unsigned crossed, struct window *out)
{
#ifdef DOUBLES_WEAVE
    int count = __builtin_popcount(kept) + __builtin_popcount(crossed);
    if (window->count <= DOUBLES && count <= DOUBLES) {
        struct point_lanes points = points_load(window);
        points_weave(&points, doubles_load(distances), kept, crossed, count);
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
    for (; i < window->count; i += DOUBLES) {
        doubles_store(&out->x[i], doubles_load(&window->x[i]));
        doubles_store(&out->y[i], doubles_load(&window->y[i]));
        doubles_store(&out->z[i], doubles_load(&window->z[i]));
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
    struct doubles x, y, z; /* a point of the edge */
    struct doubles u, v, w; /* in the window's plane, square to the edge, as long, to its inside */
    struct doubles square;  /* of the edge's length */
    struct doubles right, above; /* the line that just misses the other window: see tangents */
    struct doubles_mask beside;  /* the other window is beside the edge: no separator */
};

/* x, y and z: the next points; a, b, c: the normal of the window's plane. */
static inline void edges_turn(struct edge_lanes *edges, struct doubles x, struct doubles y,
                              struct doubles z, struct doubles a, struct doubles b,
                              struct doubles c)
{
    x = doubles_sub(x, edges->x);
    y = doubles_sub(y, edges->y);
    z = doubles_sub(z, edges->z);
    edges->square = doubles_dot(x, y, z, x, y, z);
    edges->u = doubles_sub(doubles_mul(y, c), doubles_mul(z, b));
    edges->v = doubles_sub(doubles_mul(z, a), doubles_mul(x, c));
    edges->w = doubles_sub(doubles_mul(x, b), doubles_mul(y, a));
}

static inline void edges_load(const struct window *window, const struct plane *plane, int first,
                              struct edge_lanes *out)
{
    out->x = doubles_load(&window->x[first]);
    out->y = doubles_load(&window->y[first]);
    out->z = doubles_load(&window->z[first]);
    edges_turn(out, doubles_load(&window->x[first + 1]), doubles_load(&window->y[first + 1]),
               doubles_load(&window->z[first + 1]), doubles_all(plane->normal.x),
               doubles_all(plane->normal.y), doubles_all(plane->normal.z));
}

/* What is added to the edges' own: the other window, and which way it lies. */
struct ahead_lanes {
    struct doubles a, b, c; /* the normal of the edges' window, towards the other one */
    struct doubles way;     /* 1 when the edges are those of the source, -1 when of the pass */
};

static inline void tangents_begin(struct edge_lanes *edges)
{
    edges->right = doubles_all(-1);
    edges->above = doubles_all(0);
    edges->beside = doubles_none();
}

/* Looks along each edge: the window lies to the right on the ground, the other window above the
 * ground. The line from the edge that just misses the other window on the right: its direction
 * goes to `right` (in lengths of the edge) and `above`; that is 0 when all of the other window is
 * on the edge or below the ground. A point of the other window at a time. */
static inline void tangents_add(struct edge_lanes *edges, const struct ahead_lanes *ahead,
                                struct doubles px, struct doubles py, struct doubles pz)
{
    struct doubles zero = doubles_all(0), epsilon = doubles_all(VIS_EPSILON);
    struct doubles near = doubles_mul(doubles_all(VIS_EPSILON * VIS_EPSILON), edges->square);
    struct doubles x = doubles_sub(px, edges->x);
    struct doubles y = doubles_sub(py, edges->y);
    struct doubles z = doubles_sub(pz, edges->z);
    struct doubles right = doubles_dot(x, y, z, edges->u, edges->v, edges->w);
    struct doubles above = doubles_dot(x, y, z, ahead->a, ahead->b, ahead->c);
    struct doubles_mask low = doubles_less(above, epsilon);
    struct doubles_mask off =
        doubles_and(doubles_less(zero, right), doubles_less(near, doubles_mul(right, right)));
    edges->beside = doubles_or(edges->beside, doubles_and(low, off));
    struct doubles_mask better =
        doubles_less(doubles_mul(edges->right, above), doubles_mul(right, edges->above));
    better = doubles_without(better, low);
    edges->right = doubles_select(better, right, edges->right);
    edges->above = doubles_select(better, above, edges->above);
}

/* Adds the separators of the edges, which their tangents are known of. */
static inline void separators_put(const struct edge_lanes *edges, const struct ahead_lanes *ahead,
                                  struct separators *out)
{
    struct doubles_mask is =
        doubles_without(doubles_less(doubles_all(0), edges->above), edges->beside);
    is = doubles_without(is, doubles_less(edges->square, doubles_all(EDGE_MIN * EDGE_MIN)));
    struct doubles length = doubles_sqrt(
        doubles_add(doubles_mul(edges->right, edges->right),
                    doubles_mul(doubles_mul(edges->above, edges->above), edges->square)));
    struct doubles up = doubles_mul(edges->right, ahead->way);
    struct doubles in = doubles_mul(doubles_sub(doubles_all(0), edges->above), ahead->way);
    struct doubles x = doubles_add(doubles_mul(ahead->a, up), doubles_mul(edges->u, in));
    struct doubles y = doubles_add(doubles_mul(ahead->b, up), doubles_mul(edges->v, in));
    struct doubles z = doubles_add(doubles_mul(ahead->c, up), doubles_mul(edges->w, in));
    struct doubles dist = doubles_dot(x, y, z, edges->x, edges->y, edges->z);
    int at = out->count;
    doubles_pack(&out->x[at], is, x);
    doubles_pack(&out->y[at], is, y);
    doubles_pack(&out->z[at], is, z);
    doubles_pack(&out->dist[at], is, dist);
    doubles_pack(&out->near[at], is, doubles_mul(length, doubles_all(VIS_EPSILON)));
    out->count = at + __builtin_popcount(doubles_bits(is));
}

static inline void separators_of_edges(const struct window *window, const struct plane *plane,
                                       struct vec3 normal, const struct window *other, double way,
                                       struct separators *out)
{
    const struct ahead_lanes ahead = {doubles_all(normal.x), doubles_all(normal.y),
                                      doubles_all(normal.z), doubles_all(way)};
    for (int first = 0; first < window->count; first += DOUBLES) {
        struct edge_lanes edges;
        edges_load(window, plane, first, &edges);
        tangents_begin(&edges);
        for (int i = 0; i < other->count; i++)
            tangents_add(&edges, &ahead, doubles_all(other->x[i]), doubles_all(other->y[i]),
                         doubles_all(other->z[i]));
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
    const struct ahead_lanes ahead = {doubles_both(from.x, -to.x), doubles_both(from.y, -to.y),
                                      doubles_both(from.z, -to.z), doubles_both(1, -1)};
    struct edge_lanes edges = {.x = doubles_halves(source->x, pass->x),
                               .y = doubles_halves(source->y, pass->y),
                               .z = doubles_halves(source->z, pass->z)};
    edges_turn(&edges, doubles_halves(source->x + 1, pass->x + 1),
               doubles_halves(source->y + 1, pass->y + 1),
               doubles_halves(source->z + 1, pass->z + 1), doubles_both(from.x, to.x),
               doubles_both(from.y, to.y), doubles_both(from.z, to.z));
    tangents_begin(&edges);
    int points = source->count > pass->count ? source->count : pass->count;
    for (int i = 0; i < points; i++)
        tangents_add(&edges, &ahead, doubles_both(pass->x[i], source->x[i]),
                     doubles_both(pass->y[i], source->y[i]),
                     doubles_both(pass->z[i], source->z[i]));
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
    if (source->count <= DOUBLES / 2 && pass->count <= DOUBLES / 2) {
        separators_of_both(source, source_plane, pass, pass_plane, out);
    } else {
        separators_of_edges(source, source_plane, source_plane->normal, pass, 1, out);
        separators_of_edges(pass, pass_plane, vec3_neg(pass_plane->normal), source, -1, out);
    }
    for (int i = out->count; i % DOUBLES; i++) {
        out->x[i] = out->y[i] = out->z[i] = out->near[i] = 0;
        out->dist[i] = -DBL_MAX;
    }
}

/* Whether the box lies wholly behind one of the separators. If not, *cutting has those that it is
 * not wholly in front of. */
static inline bool separators_behind(const struct separators *separators, const struct box *box,
                                     uint32_t *cutting)
{
    struct doubles cx = doubles_all(box->center.x), cy = doubles_all(box->center.y),
                   cz = doubles_all(box->center.z);
    struct doubles hx = doubles_all(box->half.x), hy = doubles_all(box->half.y),
                   hz = doubles_all(box->half.z);
    struct doubles zero = doubles_all(0);
    *cutting = 0;
    for (int i = 0; i < separators->count; i += DOUBLES) {
        struct doubles x = doubles_load(&separators->x[i]), y = doubles_load(&separators->y[i]),
                       z = doubles_load(&separators->z[i]);
        struct doubles distance =
            doubles_sub(doubles_dot(x, y, z, cx, cy, cz), doubles_load(&separators->dist[i]));
        struct doubles reach =
            doubles_dot(doubles_abs(x), doubles_abs(y), doubles_abs(z), hx, hy, hz);
        if (doubles_bits(doubles_less(doubles_add(distance, reach), zero)))
            return true;
        struct doubles under = doubles_sub(zero, doubles_load(&separators->near[i]));
        *cutting |= doubles_bits(doubles_less(doubles_sub(distance, reach), under)) << i;
    }
    return false;
}

static inline struct plane separator_plane(const struct separators *separators, int i)
{
    return (struct plane){vec3(separators->x[i], separators->y[i], separators->z[i]),
                          separators->dist[i]};
}

#ifdef DOUBLES_WEAVE
/* Cuts the points by all the planes that `cutting` names; those that are left when there come to be
 * more points than lanes stay in it. False when nothing is left. */
static inline bool points_clip(const struct separators *separators, uint32_t *cutting,
                               struct point_lanes *points, bool *cut, int64_t *clips)
{
    for (; *cutting; *cutting &= *cutting - 1) {
        int i = __builtin_ctz(*cutting);
        ++*clips;
        struct doubles distances =
            doubles_sub(doubles_dot(doubles_all(separators->x[i]), doubles_all(separators->y[i]),
                                    doubles_all(separators->z[i]), points->x, points->y, points->z),
                        doubles_all(separators->dist[i]));
        struct doubles over = doubles_all(separators->near[i]);
        struct doubles under = doubles_all(-separators->near[i]);
        unsigned all = (1u << points->count) - 1;
        unsigned behind = doubles_bits(doubles_less(distances, under)) & all;
        if (!behind)
            continue;
        unsigned before = doubles_bits(doubles_less(over, distances)) & all, kept, crossed;
        if (!before)
            return false;
        if (!window_cut_at(points->count, before, behind, &kept, &crossed))
            continue;
        int count = __builtin_popcount(kept) + __builtin_popcount(crossed);
        if (count > DOUBLES) {
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
#ifdef DOUBLES_WEAVE
    if (cutting && window->count <= DOUBLES) {
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
