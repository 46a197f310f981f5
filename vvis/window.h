/* Windows: the convex polygons of the portal flow, with room for a fixed number of points.
 *
 * Coordinates stand in separate arrays so that the points of a window go through the processor's
 * lanes together. A window has a direction, that of the lines through it; its points are clockwise
 * when seen from where the lines go, and its plane's normal looks that way. */
#ifndef VVIS_WINDOW_H
#define VVIS_WINDOW_H

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "common/geom/winding.h"

/* Tolerance of all tests, in units. Finer than any crack worth seeing through, coarser than the
 * six decimals of a portal file. */
#define VIS_EPSILON 0.01

enum {
    WINDOW_POINTS = 16,
    WINDOW_LANES = 8, /* arrays are filled up to a multiple of this with copies of point 0 */
    SEPARATORS = 2 * WINDOW_POINTS,
};

struct window {
    alignas(64) double x[WINDOW_POINTS];
    double y[WINDOW_POINTS], z[WINDOW_POINTS];
    int count;
};

/* Planes that bound what can be seen through two windows, in arrays by coordinate. Filled up to a
 * multiple of WINDOW_LANES with planes that cut nothing. */
struct separators {
    alignas(64) double x[SEPARATORS];
    double y[SEPARATORS], z[SEPARATORS], dist[SEPARATORS];
    int count;
};

/* The box around a window, as its middle and how far it goes from there along each axis. */
struct box {
    struct vec3 center, half;
};

/* How far it goes from its middle in a direction. */
static inline double box_reach(const struct box *box, struct vec3 direction)
{
    return fabs(direction.x) * box->half.x + fabs(direction.y) * box->half.y +
           fabs(direction.z) * box->half.z;
}

/* A winding of more than WINDOW_POINTS points becomes the rectangle around it on its plane: what
 * is seen through it is not less. `plane` is the winding's own. */
void window_from_winding(const struct winding *winding, const struct plane *plane,
                         struct window *out);

/* Less to move than the whole struct. */
static inline void window_copy(const struct window *window, struct window *out)
{
    out->count = window->count;
    for (int i = 0; i < window->count; i += WINDOW_LANES) {
        memcpy(&out->x[i], &window->x[i], WINDOW_LANES * sizeof(double));
        memcpy(&out->y[i], &window->y[i], WINDOW_LANES * sizeof(double));
        memcpy(&out->z[i], &window->z[i], WINDOW_LANES * sizeof(double));
    }
}

/* The same window for lines the other way. */
void window_reverse(const struct window *window, struct window *out);

enum window_cut { WINDOW_WHOLE, WINDOW_CUT, WINDOW_GONE };

/* Keeps what is in front of the plane. *out is set only when the window was cut. A window with no
 * point more than VIS_EPSILON behind is whole; with none more than that in front, gone. One that
 * would get too many points stays whole: what is seen through it is not less. */
enum window_cut window_clip(const struct window *window, const struct plane *plane,
                            struct window *out);

/* The planes through an edge of one window and a point of the other that have `source` behind and
 * `pass` in front. A line that crosses first the source, then the pass, goes on in front of all of
 * them. The planes' normals look the way of the line. (Teller's separating planes, restricted to
 * those through an edge.) */
void separators_build(const struct window *source, const struct plane *source_plane,
                      const struct window *pass, const struct plane *pass_plane,
                      struct separators *out);

/* Fills the arrays up to whole lanes; for who sets planes and count by hand. */
void separators_finish(struct separators *separators);

/* Whether the box lies wholly behind one of the separators. */
bool separators_behind(const struct separators *separators, const struct box *box);

/* What lies in front of all the separators; `around` holds the window. The result is *window or
 * one of the two buffers, or NULL. */
const struct window *separators_clip(const struct separators *separators,
                                     const struct window *window, const struct box *around,
                                     struct window buffers[2], int64_t *clips);

#endif
