/* Convex polygons in luxel coordinates: what of a face lies in a luxel's square. */
#ifndef VRAD_LUXELS_LUXEL_SHAPE_H
#define VRAD_LUXELS_LUXEL_SHAPE_H

#include <stdbool.h>

/* Room for what a luxel's square leaves of a polygon of at most SHAPE_POINTS - 8 corners. */
enum { SHAPE_POINTS = 68 };

struct point2 {
    double s, t;
};

/* The part of the polygon within the square of side 1 around (s, t); out has room for
 * SHAPE_POINTS. Returns how many: 0 when nothing is left. */
int shape_clip(const struct point2 *polygon, int count, double s, double t, struct point2 *out);

double shape_area(const struct point2 *polygon, int count);

/* The centre of gravity; the mean of the points when there is no area. */
struct point2 shape_center(const struct point2 *polygon, int count);

/* The point of the polygon (with its inside) nearest to (s, t). */
struct point2 shape_nearest(const struct point2 *polygon, int count, double s, double t);

/* Whether the sides run along the axes, to rounding, and between which corners. */
bool shape_is_box(const struct point2 *polygon, int count, struct point2 *low, struct point2 *high);

/* Its four corners. */
static inline void shape_of_box(struct point2 low, struct point2 high, struct point2 *out)
{
    out[0] = low;
    out[1] = (struct point2){high.s, low.t};
    out[2] = high;
    out[3] = (struct point2){low.s, high.t};
}

/* Whether the polygon is the whole square of side 1 around (s, t), to rounding. */
bool shape_is_square(const struct point2 *polygon, int count, double s, double t);

/* Maps the unit square onto the polygon, equal areas to equal areas and neighbours to neighbours,
 * so that an even pattern stays even. */
struct point2 shape_sample(const struct point2 *polygon, int count, double u, double v);

/* The same for many samples: the polygon in strips between its corners, which are trapezoids. */
struct shape_strip {
    double left, width, area;
    double low[2], high[2]; /* extents in t at the left and the right end */
};

struct shape_strips {
    struct shape_strip strips[SHAPE_POINTS];
    int count;
    double area;
};

void shape_strips_make(const struct point2 *polygon, int count, struct shape_strips *out);
struct point2 shape_strips_sample(const struct shape_strips *strips, double u, double v);

#endif
