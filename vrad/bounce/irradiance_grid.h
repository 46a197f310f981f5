/* Sparse grids of points on the luxels of a face. */
#ifndef VRAD_BOUNCE_IRRADIANCE_GRID_H
#define VRAD_BOUNCE_IRRADIANCE_GRID_H

#include "vrad/luxels/radiosity.h"

enum { IRRADIANCE_GRID_LINES = 128 }; /* more than the width of any lightmap */

/* Columns and rows of luxels; the first and the last are the face's border, unless inset. */
struct irradiance_grid {
    int16_t columns[IRRADIANCE_GRID_LINES], rows[IRRADIANCE_GRID_LINES];
    int column_count, row_count;
    float beyond[2]; /* inset: slope factor of the extrapolation beyond the outer columns and rows,
                        0 .. 1 */
};

static inline int irradiance_grid_points(const struct irradiance_grid *grid)
{
    return grid->column_count * grid->row_count;
}

/* Lines at most `spacing` units apart, or one luxel. */
void irradiance_grid_build(const struct face_light *face, double spacing,
                           struct irradiance_grid *out);

/* Like irradiance_grid_build, but keeps the sum of the light over the face. Interpolation between
 * borders, which are dark in corners, would lose some light with each bounce; so the outer lines
 * lie off the borders, and light is extrapolated beyond them such that a parabola keeps its
 * integral. */
void irradiance_grid_build_inset(const struct face_light *face, double spacing,
                                 struct irradiance_grid *out);
/* The weight of line `high` for luxel `at` between two lines of an inset grid: below 0 or above 1
 * beyond the outer lines; `beyond` 0 clamps it. */
float irradiance_grid_weight(int at, int low, int high, float beyond);

/* Returns true if light may be interpolated between the luxels: none is hidden, and all see each
 * other just above the surface. At most 4 luxels. */
bool irradiance_grid_is_open(const struct radiosity *radiosity, int face, const int *luxels,
                             int count);

/* The pairs i (bits) in which luxel from[i] sees luxel to[i] just above the surface; at most 16. */
uint32_t irradiance_grid_visible(const struct radiosity *radiosity, int face, const int *from,
                                 const int *to, int count);

#endif
