/* Sparse points on the luxels of a face. */
#ifndef VRAD_BOUNCE_IRRADIANCE_GRID_H
#define VRAD_BOUNCE_IRRADIANCE_GRID_H

#include "vrad/luxels/radiosity.h"

enum { IRRADIANCE_GRID_LINES = 128 }; /* more than the luxels of any lightmap across */

/* Columns and rows of luxels; the first and the last are the face's rim, unless inset. */
struct irradiance_grid {
    int16_t columns[IRRADIANCE_GRID_LINES], rows[IRRADIANCE_GRID_LINES];
    int column_count, row_count;
    float
        beyond[2]; /* inset: how steeply light goes on beyond the outer columns and rows, 0 .. 1 */
};

static inline int irradiance_grid_points(const struct irradiance_grid *grid)
{
    return grid->column_count * grid->row_count;
}

/* Lines at most `spacing` units apart, or one luxel. */
void irradiance_grid_build(const struct face_light *face, double spacing,
                           struct irradiance_grid *out);

/* The same for what is to have the right sum over the face. Interpolated between the rims, which
 * are dark in corners, light would lose some with each bounce; so the outer lines lie off the rims,
 * and light goes on beyond them, by so much that a parabola keeps its integral. */
void irradiance_grid_build_inset(const struct face_light *face, double spacing,
                                 struct irradiance_grid *out);
/* Where luxel `at` lies between two lines of an inset lattice: the weight of the line `high`. Under
 * 0 or over 1 beyond the outer ones; `beyond` 0 keeps it within. */
float irradiance_grid_weight(int at, int low, int high, float beyond);

/* Whether light may be interpolated between the luxels: none is hidden, and each sees each other
 * just above the surface. count is at most 4. */
bool irradiance_grid_is_open(const struct radiosity *radiosity, int face, const int *luxels,
                             int count);

/* Lanes i (bits) for which luxel from[i] sees luxel to[i] just above the surface; at most 16. */
uint32_t irradiance_grid_visible(const struct radiosity *radiosity, int face, const int *from,
                                 const int *to, int count);

#endif
