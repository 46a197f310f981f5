#include "vrad/bounce/irradiance_cells.h"

#include <stdlib.h>

#include "common/core/array.h"

/* What exceeds the forecast is taken for noise as a whole up to a square of so many times its
 * variance, and less of it beyond. */
#define LIKELY_NOISE 1.5f

/* A point and those around it that foretell it. */
struct stencil {
    int luxel, around[4];
    float weight[4]; /* 1 together */
    float square;    /* of their distance, in luxels: light bends by it */
};

/* Points are compared with others of their kind; those of the rims by the way they run. */
enum { MIDDLES, NODES, ROWS, COLUMNS, KINDS };

struct calm {
    struct face_light *light;
    const struct cell *cells;
    const float *doubt;
    int (*corner_of)[4];             /* one a luxel: cells by quadrant, counted from 1; 0: none */
    struct stencil *stencils[KINDS]; /* stb_ds arrays */
};

/* Which way a cell lies from its corner. */
enum { LOW_RIGHT, LOW_LEFT, HIGH_RIGHT, HIGH_LEFT };

static float square_of(float x, float y)
{
    return x * x + y * y;
}

static void add_middle(struct calm *calm, const struct cell *cell)
{
    struct stencil stencil = {.luxel = cell_middle(calm->light, cell)};
    cell_corners(calm->light, cell, stencil.around);
    cell_weights(cell, stencil.luxel % calm->light->width, stencil.luxel / calm->light->width,
                 stencil.weight);
    stencil.square =
        square_of((float)(cell->right - cell->left), (float)(cell->bottom - cell->top));
    arrput(calm->stencils[MIDDLES], stencil);
}

/* Shares of two neighbours by their distances on either side, so that straight light fits. */
static void pair(float before, float after, float out[2])
{
    float sum = before + after;
    out[0] = sum > 0 ? after / sum : 0.5f;
    out[1] = 1 - out[0];
}

static bool alike(int a, int b)
{
    return abs(a - b) <= 1;
}

/* A luxel between four cells: their middles foretell it. */
static void add_node(struct calm *calm, int luxel, const int number[4])
{
    const int width = calm->light->width;
    const int column = luxel % width, row = luxel / width;
    const struct cell *first = &calm->cells[number[0] - 1];
    struct stencil stencil = {.luxel = luxel};
    float x[4], y[4], across[2], along[2];
    for (int q = 0; q < 4; q++) {
        const struct cell *cell = &calm->cells[number[q] - 1];
        if (!alike(cell->right - cell->left, first->right - first->left) ||
            !alike(cell->bottom - cell->top, first->bottom - first->top))
            return;
        stencil.around[q] = cell_middle(calm->light, cell);
        x[q] = fabsf((float)(stencil.around[q] % width - column));
        y[q] = fabsf((float)(stencil.around[q] / width - row));
    }
    pair((x[LOW_LEFT] + x[HIGH_LEFT]) / 2, (x[LOW_RIGHT] + x[HIGH_RIGHT]) / 2, across);
    pair((y[HIGH_LEFT] + y[HIGH_RIGHT]) / 2, (y[LOW_LEFT] + y[LOW_RIGHT]) / 2, along);
    stencil.weight[LOW_RIGHT] = across[1] * along[1];
    stencil.weight[LOW_LEFT] = across[0] * along[1];
    stencil.weight[HIGH_RIGHT] = across[1] * along[0];
    stencil.weight[HIGH_LEFT] = across[0] * along[0];
    stencil.square = square_of(x[0], y[0]);
    arrput(calm->stencils[NODES], stencil);
}

/* A luxel on the face's rim between two cells: its neighbours on the rim foretell it. */
static void add_rim(struct calm *calm, int luxel, int before, int after)
{
    const int width = calm->light->width;
    float share[2], reach[2];
    int at[2] = {luxel % width, luxel / width};
    struct stencil stencil = {.luxel = luxel, .around = {before, after, before, after}};
    for (int i = 0; i < 2; i++)
        reach[i] = sqrtf(square_of((float)(stencil.around[i] % width - at[0]),
                                   (float)(stencil.around[i] / width - at[1])));
    pair(reach[0], reach[1], share);
    for (int i = 0; i < 4; i++)
        stencil.weight[i] = share[i % 2] / 2;
    stencil.square = reach[0] * reach[1];
    arrput(calm->stencils[before / width == after / width ? ROWS : COLUMNS], stencil);
}

static void add_corner(struct calm *calm, int luxel)
{
    const int *number = calm->corner_of[luxel];
    const struct face_light *light = calm->light;
    const struct cell *cell[4];
    bool is[4];
    for (int q = 0; q < 4; q++) {
        is[q] = number[q] > 0;
        cell[q] = is[q] ? &calm->cells[number[q] - 1] : NULL;
    }
    int column = luxel % light->width, row = luxel / light->width;
    if (is[0] && is[1] && is[2] && is[3])
        add_node(calm, luxel, number);
    else if (row == 0 && is[LOW_LEFT] && is[LOW_RIGHT])
        add_rim(calm, luxel, cell_luxel(light, cell[LOW_LEFT]->left, row),
                cell_luxel(light, cell[LOW_RIGHT]->right, row));
    else if (row == light->height - 1 && is[HIGH_LEFT] && is[HIGH_RIGHT])
        add_rim(calm, luxel, cell_luxel(light, cell[HIGH_LEFT]->left, row),
                cell_luxel(light, cell[HIGH_RIGHT]->right, row));
    else if (column == 0 && is[HIGH_RIGHT] && is[LOW_RIGHT])
        add_rim(calm, luxel, cell_luxel(light, column, cell[HIGH_RIGHT]->top),
                cell_luxel(light, column, cell[LOW_RIGHT]->bottom));
    else if (column == light->width - 1 && is[HIGH_LEFT] && is[LOW_LEFT])
        add_rim(calm, luxel, cell_luxel(light, column, cell[HIGH_LEFT]->top),
                cell_luxel(light, column, cell[LOW_LEFT]->bottom));
}

static void find_stencils(struct calm *calm, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        int corners[4];
        cell_corners(calm->light, &calm->cells[i], corners);
        calm->corner_of[corners[0]][LOW_RIGHT] = (int)i + 1;
        calm->corner_of[corners[1]][LOW_LEFT] = (int)i + 1;
        calm->corner_of[corners[2]][HIGH_RIGHT] = (int)i + 1;
        calm->corner_of[corners[3]][HIGH_LEFT] = (int)i + 1;
        add_middle(calm, &calm->cells[i]);
    }
    for (int luxel = 0; luxel < calm->light->count; luxel++)
        add_corner(calm, luxel);
}

/* By how much the point exceeds what is foretold, 3 numbers. */
static void excess_of(const struct stencil *stencil, const float *values, float out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = values[3 * stencil->luxel + k];
        for (int i = 0; i < 4; i++)
            out[k] -= stencil->weight[i] * values[3 * stencil->around[i] + k];
    }
}

/* How the light of the face bends at points of a kind: the mean excess a square. */
static void mean_bend(const struct stencil *stencils, const float *values, float out[3])
{
    float sum[3] = {0}, squares = 0, excess[3];
    for (ptrdiff_t i = 0; i < arrlen(stencils); i++) {
        excess_of(&stencils[i], values, excess);
        for (int k = 0; k < 3; k++)
            sum[k] += excess[k] * stencils[i].square;
        squares += stencils[i].square * stencils[i].square;
    }
    for (int k = 0; k < 3; k++)
        out[k] = squares > 0 ? sum[k] / squares : 0;
}

static void calm_point(const struct stencil *stencil, const float *values, const float *doubt,
                       const float bend[3], float *out)
{
    float excess[3], bright = 0, others = 0, variance = doubt[stencil->luxel];
    excess_of(stencil, values, excess);
    for (int k = 0; k < 3; k++) {
        excess[k] -= bend[k] * stencil->square;
        bright += excess[k] / 3;
    }
    for (int i = 0; i < 4; i++) {
        others += stencil->weight[i] * stencil->weight[i];
        variance += doubt[stencil->around[i]];
    }
    if (stencil->around[0] == stencil->around[2])
        others *= 2;
    variance *= (1 + others) / 5;
    variance *= LIKELY_NOISE;
    float share = bright * bright > variance ? variance / (bright * bright) : 1;
    for (int k = 0; k < 3; k++)
        out[3 * stencil->luxel + k] =
            fmaxf(values[3 * stencil->luxel + k] - share * excess[k] / (1 + others), 0);
}

/* Single points tell little about their own noise: the mean of it and that of those around, in
 * `to`; other points keep theirs. */
static void even_doubt(const struct calm *calm, const float *from, float *to)
{
    for (int kind = 0; kind < KINDS; kind++) {
        for (ptrdiff_t i = 0; i < arrlen(calm->stencils[kind]); i++) {
            const struct stencil *at = &calm->stencils[kind][i];
            to[at->luxel] = from[at->luxel] / 5;
            for (int k = 0; k < 4; k++)
                to[at->luxel] += from[at->around[k]] / 5;
        }
    }
}

static void calm_slot(const struct calm *calm, int slot)
{
    const size_t count = (size_t)calm->light->count;
    float *out = calm->light->indirect + 3 * (size_t)slot * count;
    const float *own = calm->doubt + (size_t)slot * count;
    float *values = memory_alloc(4 * count * sizeof *values), *doubt = values + 3 * count;
    memcpy(values, out, 3 * count * sizeof *values);
    memcpy(doubt, own, count * sizeof *doubt);
    even_doubt(calm, own, doubt);
    for (int kind = 0; kind < KINDS; kind++) {
        float bend[3];
        mean_bend(calm->stencils[kind], values, bend);
        for (ptrdiff_t i = 0; i < arrlen(calm->stencils[kind]); i++)
            calm_point(&calm->stencils[kind][i], values, doubt, bend, out);
    }
    memory_free(values);
}

void bounce_calm(struct face_light *light, const struct cell *cells, ptrdiff_t count,
                 const float *doubt)
{
    struct calm calm = {.light = light, .cells = cells, .doubt = doubt};
    calm.corner_of = memory_zalloc((size_t)light->count, sizeof *calm.corner_of);
    find_stencils(&calm, count);
    for (int slot = 0; slot < light->slots; slot++)
        calm_slot(&calm, slot);
    for (int kind = 0; kind < KINDS; kind++)
        arrfree(calm.stencils[kind]);
    memory_free(calm.corner_of);
}
