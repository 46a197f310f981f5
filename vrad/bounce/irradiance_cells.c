#include "vrad/bounce/irradiance_cells.h"

void irradiance_cell_corners(const struct face_light *light, const struct irradiance_cell *cell,
                             int corners[4])
{
    corners[0] = irradiance_cell_luxel(light, cell->left, cell->top);
    corners[1] = irradiance_cell_luxel(light, cell->right, cell->top);
    corners[2] = irradiance_cell_luxel(light, cell->left, cell->bottom);
    corners[3] = irradiance_cell_luxel(light, cell->right, cell->bottom);
}

void irradiance_cell_weights(const struct irradiance_cell *cell, int column, int row,
                             float weights[4])
{
    int across = cell->right - cell->left, along = cell->bottom - cell->top;
    float u = across ? (float)(column - cell->left) / (float)across : 0;
    float v = along ? (float)(row - cell->top) / (float)along : 0;
    weights[0] = (1 - u) * (1 - v);
    weights[1] = u * (1 - v);
    weights[2] = (1 - u) * v;
    weights[3] = u * v;
}

static float blended(const float *values, const int corners[4], const float weights[4], int k)
{
    float sum = 0;
    for (int i = 0; i < 4; i++)
        sum += weights[i] * values[3 * corners[i] + k];
    return sum;
}

/* Weight of the cell's bulge at a luxel: 1 in the middle, a half at the middles of the sides, 0 in
 * the corners, as on a paraboloid. */
static float bulge_weight(const float weights[4])
{
    float u = weights[1] + weights[3], v = weights[2] + weights[3];
    return 2 * (u * (1 - u) + v * (1 - v));
}

void irradiance_cell_predict(const struct face_light *light, const struct irradiance_cell *cell,
                             float out[3])
{
    int corners[4], middle = irradiance_cell_middle(light, cell);
    float weights[4];
    irradiance_cell_corners(light, cell, corners);
    irradiance_cell_weights(cell, middle % light->width, middle / light->width, weights);
    for (int k = 0; k < 3; k++)
        out[k] = blended(light->indirect, corners, weights, k);
}

/* The values that all luxels of a cell share. */
struct filling {
    const struct irradiance_cell *cell;
    int corners[4];
    float bulge[LUXEL_SLOTS][3]; /* in units of bulge_weight */
};

static struct filling filling_of(const struct face_light *light, const struct irradiance_cell *cell)
{
    struct filling filling = {.cell = cell};
    int middle = irradiance_cell_middle(light, cell);
    float weights[4];
    irradiance_cell_corners(light, cell, filling.corners);
    irradiance_cell_weights(cell, middle % light->width, middle / light->width, weights);
    float whole = bulge_weight(weights);
    for (int j = 0; j < light->slots; j++) {
        const float *values = light->indirect + 3 * j * light->count;
        for (int k = 0; k < 3; k++)
            filling.bulge[j][k] =
                (values[3 * middle + k] - blended(values, filling.corners, weights, k)) / whole;
    }
    return filling;
}

static void fill_luxel(struct face_light *light, const struct filling *filling, int column, int row,
                       int before)
{
    int luxel = irradiance_cell_luxel(light, column, row);
    float weights[4];
    irradiance_cell_weights(filling->cell, column, row, weights);
    float share = bulge_weight(weights);
    for (int j = 0; j < light->slots; j++) {
        float *values = light->indirect + 3 * j * light->count;
        for (int k = 0; k < 3; k++) {
            float value =
                blended(values, filling->corners, weights, k) + share * filling->bulge[j][k];
            float *mean = &values[3 * luxel + k];
            *mean += (fmaxf(value, 0) - *mean) / (float)(before + 1);
        }
    }
}

void irradiance_cell_fill(struct face_light *light, const struct irradiance_cell *cell,
                          unsigned char *known)
{
    const struct filling filling = filling_of(light, cell);
    for (int row = cell->top; row <= cell->bottom; row++) {
        for (int column = cell->left; column <= cell->right; column++) {
            unsigned char *count = &known[irradiance_cell_luxel(light, column, row)];
            if (*count == LUXEL_GATHERED)
                continue;
            fill_luxel(light, &filling, column, row, *count);
            ++*count;
        }
    }
}
