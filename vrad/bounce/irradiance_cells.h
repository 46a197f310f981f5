/* Cells of luxels, and the light between their corners. */
#ifndef VRAD_BOUNCE_IRRADIANCE_CELLS_H
#define VRAD_BOUNCE_IRRADIANCE_CELLS_H

#include "vrad/luxels/luxel.h"

/* Luxels between four that are gathered, and one in the middle. */
struct irradiance_cell {
    int left, top, right, bottom;
};

static inline int irradiance_cell_luxel(const struct face_light *light, int column, int row)
{
    return row * light->width + column;
}

static inline int irradiance_cell_middle(const struct face_light *light,
                                         const struct irradiance_cell *cell)
{
    return irradiance_cell_luxel(light, cell->left + (cell->right - cell->left) / 2,
                                 cell->top + (cell->bottom - cell->top) / 2);
}

void irradiance_cell_corners(const struct face_light *light, const struct irradiance_cell *cell,
                             int corners[4]);

/* Shares of the corners at a luxel, by which straight light fits. */
void irradiance_cell_weights(const struct irradiance_cell *cell, int column, int row,
                             float weights[4]);

/* Bounced light in the middle as the corners foretell it, 3 numbers. */
void irradiance_cell_predict(const struct face_light *light, const struct irradiance_cell *cell,
                             float out[3]);

/* `known`, one a luxel: LUXEL_GATHERED, or how many cells have filled it. */
enum { LUXEL_GATHERED = 255 };

/* Gives the luxels of a cell that were not gathered the light of the corners and the middle. Those
 * on a side take the mean of what its cells say. */
void irradiance_cell_fill(struct face_light *light, const struct irradiance_cell *cell,
                          unsigned char *known);

/* Takes noise out of gathered light: moves gathered points of cells in which light may be
 * interpolated towards what the points around them say, by as much as their own noise explains:
 * light that bends more than that stays, and so does the mean bend of the face. Linear light stays
 * as it is.
 *
 * `doubt` has the variance of the brightness of each gathered luxel, slots * count floats. */
void bounce_denoise(struct face_light *light, const struct irradiance_cell *cells, ptrdiff_t count,
                    const float *variance);

#endif
