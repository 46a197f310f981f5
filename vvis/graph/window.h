/* Windows: the convex polygons of the portal flow, with a fixed maximum of points.
 *
 * Coordinates are kept as structure of arrays for SIMD. A window has a direction, that of the
 * lines through it: its points are clockwise seen from where the lines go, and the normal of its
 * plane points there. */
#ifndef VVIS_GRAPH_WINDOW_H
#define VVIS_GRAPH_WINDOW_H

#include <stdalign.h>

#include "common/geom/winding.h"

/* Tolerance of all tests, in units. Smaller than any crack worth seeing through, larger than the
 * six decimals of a portal file. */
#define VIS_EPSILON 0.01

enum {
    WINDOW_POINTS = 16,
    WINDOW_LANES = 8, /* points per SIMD vector */
    WINDOW_SLOTS = WINDOW_POINTS + WINDOW_LANES,
    SEPARATORS = 2 * WINDOW_POINTS,
};

/* After the last point follow copies of point 0, to the end of the lanes and one more. */
struct window {
    alignas(64) double x[WINDOW_SLOTS];
    double y[WINDOW_SLOTS], z[WINDOW_SLOTS];
    int count;
};

static inline struct vec3 window_point(const struct window *window, int i)
{
    return vec3(window->x[i], window->y[i], window->z[i]);
}

/* Planes that bound what can be seen through two windows. Their normals are not normalised;
 * `near` is VIS_EPSILON times the length. Padded to a multiple of WINDOW_LANES with planes that
 * cut nothing. */
struct separators {
    alignas(64) double x[SEPARATORS];
    double y[SEPARATORS], z[SEPARATORS], dist[SEPARATORS], near[SEPARATORS];
    int count;
};

/* A bounding box as centre and half extents. */
struct box {
    struct vec3 center, half;
};

/* Returns the half extent of the box along a direction. */
static inline double box_extent(const struct box *box, struct vec3 direction)
{
    return fabs(direction.x) * box->half.x + fabs(direction.y) * box->half.y +
           fabs(direction.z) * box->half.z;
}

/* Returns the minimum distance between two boxes. */
static inline double box_gap(const struct box *a, const struct box *b)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double gap = fabs(a->center.e[i] - b->center.e[i]) - a->half.e[i] - b->half.e[i];
        sum += gap > 0 ? gap * gap : 0;
    }
    return sqrt(sum);
}

/* A winding of more than WINDOW_POINTS points becomes its bounding rectangle on its plane, which
 * is conservative. `plane` is the winding's own. */
void window_from_winding(const struct winding *winding, const struct plane *plane,
                         struct window *out);

/* The same window for lines in the reverse direction. */
void window_reverse(const struct window *window, struct window *out);

/* Returns the mean of the points. */
struct vec3 window_center(const struct window *window);

/* Sets the count and pads the arrays after the last point. */
void window_finish(struct window *window, int count);

/* Builds the shaft between two boxes: the planes of their convex hull, grown a little (flat
 * boxes have a hull too), with the space between the boxes in front. At most 18 planes. */
void shaft_build(const struct bounds *a, const struct bounds *b, struct separators *out);

enum window_cut { WINDOW_WHOLE, WINDOW_CUT, WINDOW_GONE };

#endif
