#include "vrad/luxels/irradiance_cells.h"

#include <string.h>

#include "common/core/portable_math.h"

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

static float blended(const float corners[4][3], const float weights[4], int k)
{
    float sum = 0;
    for (int i = 0; i < 4; i++)
        sum += weights[i] * corners[i][k];
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
    float weights[4], values[4][3];
    irradiance_cell_corners(light, cell, corners);
    irradiance_cell_weights(cell, middle % light->width, middle / light->width, weights);
    for (int i = 0; i < 4; i++)
        memcpy(values[i], light->indirect + 3 * corners[i], sizeof values[i]);
    for (int k = 0; k < 3; k++)
        out[k] = blended(values, weights, k);
}

void irradiance_filling_init(const struct irradiance_cell *cell, const float corners[4][3],
                             const float middle[3], struct irradiance_filling *out)
{
    float weights[4];
    irradiance_cell_weights(cell, cell->left + (cell->right - cell->left) / 2,
                            cell->top + (cell->bottom - cell->top) / 2, weights);
    float whole = bulge_weight(weights);
    memcpy(out->corners, corners, sizeof out->corners);
    for (int k = 0; k < 3; k++)
        out->bulge[k] = (middle[k] - blended(corners, weights, k)) / whole;
}

/* Takes the light of a cell into the mean of those before. */
static void add_to_mean(const struct irradiance_filling *filling, const float weights[4],
                        int before, float mean[3])
{
    float share = bulge_weight(weights);
    for (int k = 0; k < 3; k++) {
        float value = blended(filling->corners, weights, k) + share * filling->bulge[k];
        mean[k] += (portable_fmaxf(value, 0) - mean[k]) / (float)(before + 1);
    }
}

void irradiance_filling_add(const struct irradiance_cell *cell,
                            const struct irradiance_filling *filling, int column, int row,
                            int before, float mean[3])
{
    float weights[4];
    irradiance_cell_weights(cell, column, row, weights);
    add_to_mean(filling, weights, before, mean);
}

static void fillings_of(const struct face_light *light, const struct irradiance_cell *cell,
                        struct irradiance_filling fillings[LUXEL_SLOTS])
{
    int corners[4], middle = irradiance_cell_middle(light, cell);
    irradiance_cell_corners(light, cell, corners);
    for (int j = 0; j < light->slots; j++) {
        const float *values = light->indirect + 3 * j * light->count;
        float at[4][3];
        for (int i = 0; i < 4; i++)
            memcpy(at[i], values + 3 * corners[i], sizeof at[i]);
        irradiance_filling_init(cell, at, values + 3 * middle, &fillings[j]);
    }
}

void irradiance_cell_fill(struct face_light *light, const struct irradiance_cell *cell,
                          unsigned char *known)
{
    struct irradiance_filling fillings[LUXEL_SLOTS];
    fillings_of(light, cell, fillings);
    for (int row = cell->top; row <= cell->bottom; row++) {
        for (int column = cell->left; column <= cell->right; column++) {
            int luxel = irradiance_cell_luxel(light, column, row);
            float weights[4];
            if (known[luxel] == LUXEL_GATHERED)
                continue;
            irradiance_cell_weights(cell, column, row, weights);
            for (int j = 0; j < light->slots; j++)
                add_to_mean(&fillings[j], weights, known[luxel],
                            light->indirect + (ptrdiff_t)3 * (j * light->count + luxel));
            known[luxel]++;
        }
    }
}
