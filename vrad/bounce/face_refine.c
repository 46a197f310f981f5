#include "vrad/bounce/face_refine.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"

enum { SMALL_CELL = 2 }; /* luxels across */

/* Noise, relative to the darkest light of a cell, up to which differences are taken for it: more
 * would be spread by interpolation to where it can be seen. */
#define MAX_NOISE 0.3

/* Difference of corners, relative to the darkest light of a cell, beyond which its middle does not
 * tell of all that lies between them. */
#define MAX_CONTRAST 1.25

/* A difference is certain when its square exceeds its variance by this factor. */
#define CERTAIN 1.0

static void want_grid(struct face_gather *at)
{
    const struct irradiance_grid *grid = &at->traced->grid;
    for (int i = 0; i < irradiance_grid_points(grid); i++)
        face_gather_want(at, irradiance_grid_luxel(at->light, grid, i));
}

/* The largest difference of light at a level that needs no further point. */
static double difference_limit(const struct face_gather *at, double level)
{
    return at->shared->tolerance * portable_fmax(level, GATHER_MIN_LEVEL);
}

/* The variance that a difference may have without telling of the light, in a cell whose darkest
 * point is given. The parts of the hemisphere that bump maps see differ by more than this variance
 * of all of it says: their cells are refined as if there were none. */
static double allowed_noise(const struct face_gather *at, double variance, double darkest)
{
    double deviation = MAX_NOISE * portable_fmax(darkest, GATHER_MIN_LEVEL);
    return at->light->slots > 1 ? 0 : portable_fmin(variance, deviation * deviation);
}

/* Returns true if the light in the middle agrees with its prediction from the corners, or deviates
 * from it by no more than the noise of the five: more points would show the noise as blotches. */
static bool middle_fits(const struct face_gather *at, const struct irradiance_cell *cell,
                        const int corners[4])
{
    float predicted[3];
    int middle = irradiance_cell_middle(at->light, cell);
    double noise = (double)at->variance[middle], darkest = face_gather_level(at, middle);
    double low = DBL_MAX, high = 0, spread = 0;
    for (int i = 0; i < 4; i++) {
        double bright = colour_brightness(at->light->indirect + 3 * corners[i]);
        noise += (double)at->variance[corners[i]] / 16;
        spread += (double)at->variance[corners[i]];
        darkest = portable_fmin(darkest, face_gather_level(at, corners[i]));
        low = portable_fmin(low, bright);
        high = portable_fmax(high, bright);
    }
    double contrast = MAX_CONTRAST * portable_fmax(darkest, GATHER_MIN_LEVEL);
    if (at->light->slots == 1 && (high - low) * (high - low) > contrast * contrast + spread)
        return false;
    irradiance_cell_predict(at->light, cell, predicted);
    double error =
        fabs(colour_brightness(predicted) - colour_brightness(at->light->indirect + 3 * middle));
    double limit = difference_limit(at, darkest);
    return error * error <= limit * limit + allowed_noise(at, CERTAIN * noise, darkest);
}

static bool is_smooth(const struct face_gather *at, const struct irradiance_cell *cell)
{
    int corners[4];
    irradiance_cell_corners(at->light, cell, corners);
    return at->known[irradiance_cell_middle(at->light, cell)] == LUXEL_GATHERED &&
           middle_fits(at, cell, corners) &&
           irradiance_grid_is_open(at->shared->transport->radiosity, at->face, corners, 4);
}

static bool has_inside(const struct irradiance_cell *cell)
{
    return cell->right - cell->left > 1 || cell->bottom - cell->top > 1;
}

/* A cell of few luxels, in which little can lie between corners that agree. */
static bool is_small(const struct irradiance_cell *cell)
{
    return cell->right - cell->left <= SMALL_CELL && cell->bottom - cell->top <= SMALL_CELL;
}

/* Returns true if the corners differ by no more than the tolerance, or by their noise. */
static bool corners_agree(const struct face_gather *at, const int corners[4])
{
    double min = DBL_MAX, max = 0, level = 0, noise = 0, darkest = DBL_MAX;
    for (int i = 0; i < 4; i++) {
        if (at->known[corners[i]] != LUXEL_GATHERED)
            return false;
        double bright = colour_brightness(at->light->indirect + 3 * corners[i]);
        min = portable_fmin(min, bright);
        max = portable_fmax(max, bright);
        level += face_gather_level(at, corners[i]) / 4;
        darkest = portable_fmin(darkest, face_gather_level(at, corners[i]));
        noise += (double)at->variance[corners[i]];
    }
    double limit = difference_limit(at, level);
    return (max - min) * (max - min) <= limit * limit + allowed_noise(at, 2 * noise, darkest);
}

/* Predicts the light of the middle from the corners, where that is accurate enough. */
static bool assume_middle(struct face_gather *at, const struct irradiance_cell *cell)
{
    int corners[4], middle = irradiance_cell_middle(at->light, cell), count = at->light->count;
    float weights[4];
    irradiance_cell_corners(at->light, cell, corners);
    if (at->known[middle] || luxel_is_hidden(at->light, middle) || !corners_agree(at, corners))
        return false;
    irradiance_cell_weights(cell, middle % at->light->width, middle / at->light->width, weights);
    for (int j = 0; j < at->light->slots; j++) {
        float *values = at->light->indirect + 3 * j * count, *variance = at->variance + j * count;
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < 3; k++)
                values[3 * middle + k] += weights[i] * values[3 * corners[i] + k];
            variance[middle] += weights[i] * weights[i] * variance[corners[i]];
        }
    }
    at->known[middle] = LUXEL_GATHERED;
    return true;
}

/* Splits a cell in the middle: into two where it is only one luxel wide. */
static void divide(struct face_gather *at, const struct irradiance_cell *cell,
                   struct irradiance_cell **parts)
{
    int across = cell->right - cell->left, along = cell->bottom - cell->top;
    int columns[3] = {cell->left, cell->left + across / 2, cell->right};
    int rows[3] = {cell->top, cell->top + along / 2, cell->bottom};
    int column_step = across > 1 ? 1 : 2, row_step = along > 1 ? 1 : 2;
    for (int j = 0; j < 3; j += row_step)
        for (int i = 0; i < 3; i += column_step)
            face_gather_want(at, irradiance_cell_luxel(at->light, columns[i], rows[j]));
    for (int j = 0; j < 2; j += row_step) {
        for (int i = 0; i < 2; i += column_step) {
            struct irradiance_cell part = {columns[i], rows[j], columns[i + column_step],
                                           rows[j + row_step]};
            if (has_inside(&part))
                arrput(*parts, part);
        }
    }
}

static void start_cells(struct face_gather *at)
{
    const struct irradiance_grid *grid = &at->traced->grid;
    for (int row = 0; row == 0 || row + 1 < grid->row_count; row++) {
        for (int column = 0; column == 0 || column + 1 < grid->column_count; column++) {
            int right = column + 1 < grid->column_count ? column + 1 : column;
            int below = row + 1 < grid->row_count ? row + 1 : row;
            struct irradiance_cell cell = {grid->columns[column], grid->rows[row],
                                           grid->columns[right], grid->rows[below]};
            if (has_inside(&cell))
                arrput(at->cells, cell);
        }
    }
}

static bool any_small(const struct face_gather *at)
{
    if (!at->shared->spares)
        return false;
    for (ptrdiff_t i = 0; i < arrlen(at->cells); i++)
        if (is_small(&at->cells[i]))
            return true;
    return false;
}

static void want_middles(struct face_gather *at)
{
    const bool spare = any_small(at);
    for (ptrdiff_t i = 0; i < arrlen(at->cells); i++)
        if (!spare || !is_small(&at->cells[i]) || !assume_middle(at, &at->cells[i]))
            face_gather_want(at, irradiance_cell_middle(at->light, &at->cells[i]));
}

void face_refine(struct face_gather *at)
{
    want_grid(at);
    start_cells(at);
    if (any_small(at))
        face_gather_wanted(at);
    want_middles(at);
    face_gather_wanted(at);
    while (arrlen(at->cells)) {
        struct irradiance_cell *parts = NULL;
        for (ptrdiff_t i = 0; i < arrlen(at->cells); i++) {
            if (is_smooth(at, &at->cells[i]))
                arrput(at->smooth, at->cells[i]);
            else
                divide(at, &at->cells[i], &parts);
        }
        arrfree(at->cells);
        at->cells = parts;
        if (any_small(at))
            face_gather_wanted(at);
        want_middles(at);
        face_gather_wanted(at);
    }
}
