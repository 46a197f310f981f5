/* Operations of the flow on windows, for the instruction set that the file is compiled for. */
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

/* The side of a plane for each point of a window: one bit per point. */
struct window_sides {
    unsigned before, behind; /* farther than `near` */
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

/* Bit i of the result is bit i + 1, cyclically. */
static inline unsigned bits_rotate(unsigned bits, int count)
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

/* Writes the points of `kept`, and after each point of `crossed` the crossing of the edge to the
 * next. */
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
/* The points of a window that fits into one vector, padded with copies of point 0. */
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

/* window_weave_points for results that fit into one vector. */
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

/* The same, in one vector if it fits: this avoids unpredictable branches and store-forwarding
 * stalls. */
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

/* Copies only the points in use, not the whole struct. */
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

/* Finds the points that a window keeps, and those that get a crossing after them. Returns false
 * when the result would have too many points, or fewer than 3. */
static inline bool window_cut_at(int points, unsigned before, unsigned behind, unsigned *kept,
                                 unsigned *crossed)
{
    *kept = ~behind & ((1u << points) - 1);
    *crossed = (before & bits_rotate(behind, points)) | (behind & bits_rotate(before, points));
    int count = __builtin_popcount(*kept) + __builtin_popcount(*crossed);
    return count >= 3 && count <= WINDOW_POINTS;
}

/* window_clip with the sides of the points known. */
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

/* Keeps the part in front of the plane. *out is set only when the window was cut. A window with
 * no point farther than VIS_EPSILON behind is whole; with none farther than that in front, gone.
 * One that would get too many points stays whole, which is conservative. */
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

/* The edges of a window from point `first` on, and the search for their separators. */
struct edge_lanes {
    struct doubles x, y, z; /* a point of the edge */
    struct doubles u, v,
        w; /* in the window's plane, perpendicular to the edge, of its length, pointing inside */
    struct doubles square;       /* of the edge's length */
    struct doubles right, above; /* the tangent to the other window: see tangents_add */
    struct doubles_mask beside;  /* the other window is beside the edge: no separator */
};

/* x, y and z: the next points; a, b, c: the normal of the window's plane. */
static inline void edges_set_inward(struct edge_lanes *edges, struct doubles x, struct doubles y,
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
    edges_set_inward(out, doubles_load(&window->x[first + 1]), doubles_load(&window->y[first + 1]),
                     doubles_load(&window->z[first + 1]), doubles_all(plane->normal.x),
                     doubles_all(plane->normal.y), doubles_all(plane->normal.z));
}

/* The other window of a search for separators: its direction. */
struct other_lanes {
    struct doubles a, b, c; /* the normal of the edges' window, towards the other window */
    struct doubles sign;    /* 1 for edges of the source, -1 for edges of the pass */
};

static inline void tangents_begin(struct edge_lanes *edges)
{
    edges->right = doubles_all(-1);
    edges->above = doubles_all(0);
    edges->beside = doubles_none();
}

/* Adds one point of the other window to the tangents. Seen along an edge, with the window as
 * ground on the right and the other window above it: the tangent is the line from the edge that
 * just misses the other window on the right, as direction (`right`, `above`), `right` in lengths
 * of the edge. `above` is 0 when all of the other window is on the edge or below the ground. */
static inline void tangents_add(struct edge_lanes *edges, const struct other_lanes *other_window,
                                struct doubles px, struct doubles py, struct doubles pz)
{
    struct doubles zero = doubles_all(0), epsilon = doubles_all(VIS_EPSILON);
    struct doubles near = doubles_mul(doubles_all(VIS_EPSILON * VIS_EPSILON), edges->square);
    struct doubles x = doubles_sub(px, edges->x);
    struct doubles y = doubles_sub(py, edges->y);
    struct doubles z = doubles_sub(pz, edges->z);
    struct doubles right = doubles_dot(x, y, z, edges->u, edges->v, edges->w);
    struct doubles above = doubles_dot(x, y, z, other_window->a, other_window->b, other_window->c);
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

/* Adds the separators of edges with known tangents. */
static inline void separators_put(const struct edge_lanes *edges,
                                  const struct other_lanes *other_window, struct separators *out)
{
    struct doubles_mask is =
        doubles_without(doubles_less(doubles_all(0), edges->above), edges->beside);
    is = doubles_without(is, doubles_less(edges->square, doubles_all(EDGE_MIN * EDGE_MIN)));
    struct doubles length = doubles_sqrt(
        doubles_add(doubles_mul(edges->right, edges->right),
                    doubles_mul(doubles_mul(edges->above, edges->above), edges->square)));
    struct doubles up = doubles_mul(edges->right, other_window->sign);
    struct doubles in = doubles_mul(doubles_sub(doubles_all(0), edges->above), other_window->sign);
    struct doubles x = doubles_add(doubles_mul(other_window->a, up), doubles_mul(edges->u, in));
    struct doubles y = doubles_add(doubles_mul(other_window->b, up), doubles_mul(edges->v, in));
    struct doubles z = doubles_add(doubles_mul(other_window->c, up), doubles_mul(edges->w, in));
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
                                       struct vec3 normal, const struct window *other, double sign,
                                       struct separators *out)
{
    const struct other_lanes other_window = {doubles_all(normal.x), doubles_all(normal.y),
                                             doubles_all(normal.z), doubles_all(sign)};
    for (int first = 0; first < window->count; first += DOUBLES) {
        struct edge_lanes edges;
        edges_load(window, plane, first, &edges);
        tangents_begin(&edges);
        for (int i = 0; i < other->count; i++)
            tangents_add(&edges, &other_window, doubles_all(other->x[i]), doubles_all(other->y[i]),
                         doubles_all(other->z[i]));
        separators_put(&edges, &other_window, out);
    }
}

/* Both windows in one vector, when neither has more than four points. A window with fewer points
 * repeats some points and edges. */
static inline void separators_of_both(const struct window *source, const struct plane *source_plane,
                                      const struct window *pass, const struct plane *pass_plane,
                                      struct separators *out)
{
    struct vec3 from = source_plane->normal, to = pass_plane->normal;
    const struct other_lanes other_window = {doubles_both(from.x, -to.x),
                                             doubles_both(from.y, -to.y),
                                             doubles_both(from.z, -to.z), doubles_both(1, -1)};
    struct edge_lanes edges = {.x = doubles_halves(source->x, pass->x),
                               .y = doubles_halves(source->y, pass->y),
                               .z = doubles_halves(source->z, pass->z)};
    edges_set_inward(&edges, doubles_halves(source->x + 1, pass->x + 1),
                     doubles_halves(source->y + 1, pass->y + 1),
                     doubles_halves(source->z + 1, pass->z + 1), doubles_both(from.x, to.x),
                     doubles_both(from.y, to.y), doubles_both(from.z, to.z));
    tangents_begin(&edges);
    int points = source->count > pass->count ? source->count : pass->count;
    for (int i = 0; i < points; i++)
        tangents_add(&edges, &other_window, doubles_both(pass->x[i], source->x[i]),
                     doubles_both(pass->y[i], source->y[i]),
                     doubles_both(pass->z[i], source->z[i]));
    separators_put(&edges, &other_window, out);
}

/* Builds the planes through an edge of one window and a point of the other that have `source`
 * behind and `pass` in front. A line that crosses the source and then the pass continues in
 * front of all of them. The normals point along the line. (Teller's separating planes,
 * restricted to those through an edge.) */
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

/* Returns whether the box is entirely behind one of the separators. If not, *cutting has those
 * that it is not entirely in front of. */
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
/* Clips the points by all planes in `cutting`; when the result no longer fits into one vector,
 * the planes not yet done stay in it. Returns false when nothing is left. */
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
            --*clips; /* is counted again by the caller */
            return true;
        }
        points_weave(points, distances, kept, crossed, count);
        *cut = true;
    }
    return true;
}
#endif

/* Clips a window by all separators in `cutting`. Returns *window, one of the two buffers, or
 * NULL when nothing is left. */
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
