/* Cells of the irradiance grid, and the interpolation between their corners. */
#ifndef VRAD_BOUNCE_IRRADIANCE_CELLS_H
#define VRAD_BOUNCE_IRRADIANCE_CELLS_H

#include "vrad/luxels/luxel.h"

/* The luxels between four gathered ones, and the one in the middle. */
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

/* Bilinear weights of the corners at a luxel. */
void irradiance_cell_weights(const struct irradiance_cell *cell, int column, int row,
                             float weights[4]);

/* Predicts the bounced light in the middle from the corners, 3 numbers. */
void irradiance_cell_predict(const struct face_light *light, const struct irradiance_cell *cell,
                             float out[3]);

/* `known`, one per luxel: LUXEL_GATHERED, or the number of cells that have filled it. */
enum { LUXEL_GATHERED = 255 };

/* Interpolates the luxels of a cell that were not gathered from the corners and the middle. Those
 * on a side take the mean of its cells. */
void irradiance_cell_fill(struct face_light *light, const struct irradiance_cell *cell,
                          unsigned char *known);

/* Denoises gathered light: moves the gathered points of cells in which light may be interpolated
 * towards the prediction from their neighbours, as far as their own noise explains the deviation. A
 * stronger deviation and the mean curvature of the face are kept; linear light does not change.
 *
 * `variance` is that of the brightness of each gathered luxel, slots * count floats. */
void bounce_denoise(struct face_light *light, const struct irradiance_cell *cells, ptrdiff_t count,
                    const float *variance);

#endif
