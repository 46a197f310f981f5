/* Convex polygons in luxel coordinates, and their intersection with luxels. */
#ifndef VRAD_LUXELS_LUXEL_SHAPE_H
#define VRAD_LUXELS_LUXEL_SHAPE_H

#include <stdbool.h>

/* Capacity for the intersection of a luxel's square with a polygon of at most SHAPE_POINTS - 8
 * corners. */
enum { SHAPE_POINTS = 68 };

struct point2 {
    double s, t;
};

/* Clips the polygon to the square of side 1 around (s, t); out has room for SHAPE_POINTS. Returns
 * the number of points: 0 when nothing is left. */
int shape_clip(const struct point2 *polygon, int count, double s, double t, struct point2 *out);

double shape_area(const struct point2 *polygon, int count);

/* Returns true if the polygon has an area, which lies to the left of its edges. */
bool shape_turns_left(const struct point2 *polygon, int count);

/* The centroid; the mean of the points when there is no area. */
struct point2 shape_center(const struct point2 *polygon, int count);

/* The point of the polygon, including its inside, nearest to (s, t). */
struct point2 shape_nearest(const struct point2 *polygon, int count, double s, double t);

/* Returns true if the sides are axis-aligned, to rounding, and the corners between which they
 * run. */
bool shape_is_box(const struct point2 *polygon, int count, struct point2 *low, struct point2 *high);

/* The middle and length of the overlap of luxel `at` with an interval. */
static inline double shape_cut_line(double low, double high, int at, double *middle)
{
    double from = at - 0.5, to = at + 0.5;
    from = low > from ? low : from;
    to = high < to ? high : to;
    *middle = (from + to) / 2;
    return to > from ? to - from : 0;
}

/* Its four corners. */
static inline void shape_of_box(struct point2 low, struct point2 high, struct point2 *out)
{
    out[0] = low;
    out[1] = (struct point2){high.s, low.t};
    out[2] = high;
    out[3] = (struct point2){low.s, high.t};
}

/* Returns true if the polygon is the whole square of side 1 around (s, t), to rounding. */
bool shape_is_square(const struct point2 *polygon, int count, double s, double t);

/* Area-preserving, continuous map of the unit square onto the polygon, so that an even pattern
 * stays even. */
struct point2 shape_sample(const struct point2 *polygon, int count, double u, double v);

/* The same for many samples: the polygon as trapezoid strips between its corners. */
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
