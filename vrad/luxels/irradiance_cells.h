/* Cells of the irradiance grid, and the interpolation between their corners. */
#ifndef VRAD_LUXELS_IRRADIANCE_CELLS_H
#define VRAD_LUXELS_IRRADIANCE_CELLS_H

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

/* Shared by all luxels of a cell, of one slot. */
struct irradiance_filling {
    float corners[4][3];
    float bulge[3]; /* of the middle over its prediction: zero at the corners */
};

void irradiance_filling_init(const struct irradiance_cell *cell, const float corners[4][3],
                             const float middle[3], struct irradiance_filling *out);

/* Takes the light of the cell at a luxel into `mean`, that of the `before` cells before it. */
void irradiance_filling_add(const struct irradiance_cell *cell,
                            const struct irradiance_filling *filling, int column, int row,
                            int before, float mean[3]);

#endif
