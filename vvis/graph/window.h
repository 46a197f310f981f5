/* Windows: the convex polygons of the portal flow, with room for a fixed number of points.
 *
 * Coordinates stand in separate arrays so that the points of a window go through the processor's
 * lanes together. A window has a direction, that of the lines through it; its points are clockwise
 * when seen from where the lines go, and its plane's normal looks that way. */
#ifndef VVIS_GRAPH_WINDOW_H
#define VVIS_GRAPH_WINDOW_H

#include <stdalign.h>

#include "common/geom/winding.h"

/* Tolerance of all tests, in units. Finer than any crack worth seeing through, coarser than the
 * six decimals of a portal file. */
#define VIS_EPSILON 0.01

enum {
    WINDOW_POINTS = 16,
    WINDOW_LANES = 8, /* points that go through the processor together */
    WINDOW_SLOTS = WINDOW_POINTS + WINDOW_LANES,
    SEPARATORS = 2 * WINDOW_POINTS,
};

/* After the last point come copies of point 0, to the end of the lanes and one more. */
struct window {
    alignas(64) double x[WINDOW_SLOTS];
    double y[WINDOW_SLOTS], z[WINDOW_SLOTS];
    int count;
};

static inline struct vec3 window_point(const struct window *window, int i)
{
    return vec3(window->x[i], window->y[i], window->z[i]);
}

/* Planes that bound what can be seen through two windows, in arrays by coordinate. Their normals
 * are of any length; VIS_EPSILON times that is `near`. After them, up to a multiple of
 * WINDOW_LANES, are planes that cut nothing. */
struct separators {
    alignas(64) double x[SEPARATORS];
    double y[SEPARATORS], z[SEPARATORS], dist[SEPARATORS], near[SEPARATORS];
    int count;
};

/* The box around a window, as its middle and how far it goes from there along each axis. */
struct box {
    struct vec3 center, half;
};

/* How far it goes from its middle in a direction. */
static inline double box_extent(const struct box *box, struct vec3 direction)
{
    return fabs(direction.x) * box->half.x + fabs(direction.y) * box->half.y +
           fabs(direction.z) * box->half.z;
}

/* The least distance between two boxes. */
static inline double box_gap(const struct box *a, const struct box *b)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double gap = fabs(a->center.e[i] - b->center.e[i]) - a->half.e[i] - b->half.e[i];
        sum += gap > 0 ? gap * gap : 0;
    }
    return sqrt(sum);
}

/* A winding of more than WINDOW_POINTS points becomes the rectangle around it on its plane: what
 * is seen through it is not less. `plane` is the winding's own. */
void window_from_winding(const struct winding *winding, const struct plane *plane,
                         struct window *out);

/* The same window for lines the other way. */
void window_reverse(const struct window *window, struct window *out);

/* The mean of its points. */
struct vec3 window_center(const struct window *window);

/* Fills the arrays behind the last point. */
void window_finish(struct window *window, int count);

/* Fills the arrays up to whole lanes; for who sets planes and count by hand. */
void separators_finish(struct separators *separators);

/* The space between two boxes: the planes of their convex hull, grown a little (flat boxes have a
 * hull too); what lies between the boxes is in front. At most 18 planes. */
void shaft_build(const struct bounds *a, const struct bounds *b, struct separators *out);

enum window_cut { WINDOW_WHOLE, WINDOW_CUT, WINDOW_GONE };

#endif
