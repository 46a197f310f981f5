#include "vrad/bounce/bounce_denoise.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/bounce/bounce_solve.h"
#include "vrad/bounce/window_fit.h"
#include "vrad/luxels/irradiance_cells.h"

/* Denoising where many luxels were gathered close together. */

/* The share of a deviation of that brightness that is noise: all of it while its square is at most
 * 1.5 times the variance, less beyond. */
static inline float noise_share(float bright, float variance)
{
    float likely = 1.5f * variance, square = bright * bright;
    return square > likely ? likely / square : 1;
}

/* Variance of light without any. */
#define MIN_VARIANCE 1e-8f

/* Luxels of a window that make fits worth while. */
enum { MIN_LUXELS = 10 };

/* Noise, relative to all light of the luxel, that needs no denoising. */
#define UNSEEN 0.02f

/* ---- windows ---- */

/* Luxels between which light may be interpolated, or that were gathered: 1, else 0. On the heap. */
static unsigned char *window_open_luxels(const struct face_light *light,
                                         const struct irradiance_cell *cells, ptrdiff_t count,
                                         const unsigned char *known)
{
    unsigned char *open = memory_zalloc((size_t)light->count, 1);
    for (int i = 0; i < light->count; i++)
        open[i] = known[i] == LUXEL_GATHERED;
    for (ptrdiff_t i = 0; i < count; i++) {
        const size_t width = (size_t)cells[i].right + 1 - (size_t)cells[i].left;
        for (int row = cells[i].top; row <= cells[i].bottom; row++)
            memset(open + irradiance_cell_luxel(light, cells[i].left, row), 1, width);
    }
    return open;
}

static int count_bits(uint64_t mask)
{
    int count = 0;
    for (; mask; mask &= mask - 1)
        count++;
    return count;
}

/* The gathered luxels around one, as far as they are connected with it. */
static uint64_t mask_at(const struct face_light *light, const unsigned char *known,
                        const unsigned char *open, int luxel)
{
    const int left = luxel % light->width - WINDOW_REACH, top = luxel / light->width - WINDOW_REACH;
    uint64_t gathered = 0, way = 0;
    for (int row = 0; row < WINDOW_SIDE; row++) {
        for (int column = 0; column < WINDOW_SIDE; column++) {
            int x = left + column, y = top + row;
            if (x < 0 || y < 0 || x >= light->width || y >= light->height)
                continue;
            int at = irradiance_cell_luxel(light, x, y);
            uint64_t bit = window_bit(column, row);
            way |= open[at] ? bit : 0;
            gathered |= known[at] == LUXEL_GATHERED ? bit : 0;
        }
    }
    return window_connected(way) & gathered;
}

/* The light of a luxel as a weighted sum over the samples of its window. */
struct window {
    struct window_sample samples[WINDOW_LUXELS];
    int luxels[WINDOW_LUXELS];
    float weights[WINDOW_LUXELS];
    int luxel, count;
    float light[3];
    /* A fit, and what it is off the light. */
    bool fits;
    float fit[WINDOW_LUXELS], apart[3];
    float square; /* mean square of the distance of its luxels */
};

static void open_window(const struct face_light *light, int middle, uint64_t mask,
                        const float *values, const float *variance, struct window *out)
{
    out->luxel = middle;
    out->count = 0;
    memcpy(out->light, values + 3 * (ptrdiff_t)middle, sizeof out->light);
    for (int row = 0; row < WINDOW_SIDE; row++) {
        for (int column = 0; column < WINDOW_SIDE; column++) {
            if (!(mask & window_bit(column, row)))
                continue;
            int x = column - WINDOW_REACH, y = row - WINDOW_REACH;
            int luxel = middle + y * light->width + x;
            out->luxels[out->count] = luxel;
            out->weights[out->count] = luxel == middle;
            out->samples[out->count++] = (struct window_sample){
                (int8_t)x, (int8_t)y, portable_fmaxf(variance[luxel], MIN_VARIANCE)};
        }
    }
}

static bool is_noisy(const struct face_light *light, int luxel, const float *values, float variance)
{
    float level = mean_channel(values + 3 * (ptrdiff_t)luxel) + direct_brightness(light, luxel);
    return variance > UNSEEN * UNSEEN * level * level;
}

/* The windows of noisy luxels. Returns an stb_ds array. */
static struct window *open_windows(const struct face_light *light, const unsigned char *known,
                                   const unsigned char *open, const float *values,
                                   const float *variance)
{
    struct window *windows = NULL;
    for (int i = 0; i < light->count; i++) {
        if (known[i] != LUXEL_GATHERED || !is_noisy(light, i, values, variance[i]))
            continue;
        uint64_t mask = mask_at(light, known, open, i);
        if (count_bits(mask) >= MIN_LUXELS)
            open_window(light, i, mask, values, variance, arraddnptr(windows, 1));
    }
    return windows;
}

/* ---- fits ---- */

static void fit_window(struct window *window, enum window_stage stage, const float *values)
{
    window->fits = window_fit_find(window->samples, window->count, stage, window->fit);
    if (!window->fits)
        return;
    window->square = 0;
    for (int k = 0; k < 3; k++)
        window->apart[k] = -window->light[k];
    for (int i = 0; i < window->count; i++) {
        const struct window_sample *sample = &window->samples[i];
        float square = (float)(sample->column * sample->column + sample->row * sample->row);
        for (int k = 0; k < 3; k++)
            window->apart[k] += window->fit[i] * values[3 * (ptrdiff_t)window->luxels[i] + k];
        window->square += window->fit[i] * square;
    }
}

/* Takes the mean curvature of the light out of what linear fits, which have none, are off. */
static void keep_curvature(struct window *windows, ptrdiff_t count)
{
    float bend[3] = {0}, squares = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        if (!windows[i].fits)
            continue;
        for (int k = 0; k < 3; k++)
            bend[k] += windows[i].apart[k] * windows[i].square;
        squares += windows[i].square * windows[i].square;
    }
    for (ptrdiff_t i = 0; i < count && squares > 0; i++)
        for (int k = 0; k < 3; k++)
            windows[i].apart[k] -= bend[k] / squares * windows[i].square;
}

/* Moves light towards a fit that has less noise, by as much as the noise of their difference
 * explains. */
static void move_to_fit(struct window *window)
{
    float noise = 0, before = 0, after = 0, bright = mean_channel(window->apart);
    for (int i = 0; i < window->count; i++) {
        float variance = window->samples[i].variance;
        float weight = window->weights[i], fit = window->fit[i], step = fit - weight;
        noise += step * step * variance;
        before += weight * weight * variance;
        after += fit * fit * variance;
    }
    if (after >= before)
        return;
    float share = noise_share(bright, noise);
    for (int k = 0; k < 3; k++)
        window->light[k] += share * window->apart[k];
    for (int i = 0; i < window->count; i++)
        window->weights[i] += share * (window->fit[i] - window->weights[i]);
}

/* Denoises the values of gathered luxels (`known`, LUXEL_GATHERED) with many others around them, 3
 * numbers per luxel of a slot, into `out`: they move to polynomials through the values around them,
 * as far as the variance of each, of its brightness, explains. Light whose noise is too small to be
 * seen stays. `open`, one per luxel, tells where light may be followed: values are compared with
 * those that are connected with them. */
static void window_denoise(const struct face_light *light, const unsigned char *known,
                           const unsigned char *open, const float *values, const float *variance,
                           float *out)
{
    struct window *windows = open_windows(light, known, open, values, variance);
    const ptrdiff_t count = arrlen(windows);
    for (int stage = 0; stage < WINDOW_STAGES; stage++) {
        for (ptrdiff_t i = 0; i < count; i++)
            fit_window(&windows[i], (enum window_stage)stage, values);
        if (window_is_linear((enum window_stage)stage))
            keep_curvature(windows, count);
        for (ptrdiff_t i = 0; i < count; i++)
            if (windows[i].fits)
                move_to_fit(&windows[i]);
    }
    for (ptrdiff_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            out[3 * (ptrdiff_t)windows[i].luxel + k] = portable_fmaxf(windows[i].light[k], 0);
    arrfree(windows);
}

/* --- bounce denoise --- */

/* Minimum light, of 255, for relative values; and how far from its own the mean around a point may
 * be for its deviation to be relative to that mean. */
#define MIN_LEVEL 0.05f
#define MAX_APART 2.0f

/* A point and the neighbours that predict it. */
struct stencil {
    int luxel, around[4];
    float weight[4]; /* sum 1 */
    float square;    /* of their distance, in luxels: curvature grows with it */
};

/* Points are compared with others of their kind; those on borders by the direction of the
 * border. Luxels that lie in no cell have gathered one by one. */
enum { MIDDLES, NODES, ROWS, COLUMNS, LUXELS, KINDS };

struct denoiser {
    struct face_light *light;
    const struct irradiance_cell *cells;
    const unsigned char *known; /* LUXEL_GATHERED, one per luxel */
    const float *variance;
    int (*corner_of)[4];             /* one per luxel: cells by quadrant, counted from 1; 0: none */
    struct stencil *stencils[KINDS]; /* stb_ds arrays */
    unsigned char *open;             /* see bounce_denoise.h */
};

/* Position of a cell relative to its corner. */
enum { LOW_RIGHT, LOW_LEFT, HIGH_RIGHT, HIGH_LEFT };

static float square_of(float x, float y)
{
    return x * x + y * y;
}

static void add_middle(struct denoiser *denoiser, const struct irradiance_cell *cell)
{
    struct stencil stencil = {.luxel = irradiance_cell_middle(denoiser->light, cell)};
    irradiance_cell_corners(denoiser->light, cell, stencil.around);
    irradiance_cell_weights(cell, stencil.luxel % denoiser->light->width,
                            stencil.luxel / denoiser->light->width, stencil.weight);
    stencil.square =
        square_of((float)(cell->right - cell->left), (float)(cell->bottom - cell->top));
    arrput(denoiser->stencils[MIDDLES], stencil);
}

/* Linear interpolation weights of two neighbours by their distances on either side. */
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

/* A luxel between four cells, predicted from their middles. */
static void add_node(struct denoiser *denoiser, int luxel, const int number[4])
{
    const int width = denoiser->light->width;
    const int column = luxel % width, row = luxel / width;
    const struct irradiance_cell *first = &denoiser->cells[number[0] - 1];
    struct stencil stencil = {.luxel = luxel};
    float x[4], y[4], across[2], along[2];
    for (int q = 0; q < 4; q++) {
        const struct irradiance_cell *cell = &denoiser->cells[number[q] - 1];
        if (!alike(cell->right - cell->left, first->right - first->left) ||
            !alike(cell->bottom - cell->top, first->bottom - first->top))
            return;
        stencil.around[q] = irradiance_cell_middle(denoiser->light, cell);
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
    arrput(denoiser->stencils[NODES], stencil);
}

/* A luxel on the face's border between two cells, predicted from its neighbours on the border. */
static void add_border(struct denoiser *denoiser, int luxel, int before, int after)
{
    const int width = denoiser->light->width;
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
    arrput(denoiser->stencils[before / width == after / width ? ROWS : COLUMNS], stencil);
}

static void add_corner(struct denoiser *denoiser, int luxel)
{
    const int *number = denoiser->corner_of[luxel];
    const struct face_light *light = denoiser->light;
    const struct irradiance_cell *cell[4];
    bool is[4];
    for (int q = 0; q < 4; q++) {
        is[q] = number[q] > 0;
        cell[q] = is[q] ? &denoiser->cells[number[q] - 1] : NULL;
    }
    int column = luxel % light->width, row = luxel / light->width;
    if (is[0] && is[1] && is[2] && is[3])
        add_node(denoiser, luxel, number);
    else if (row == 0 && is[LOW_LEFT] && is[LOW_RIGHT])
        add_border(denoiser, luxel, irradiance_cell_luxel(light, cell[LOW_LEFT]->left, row),
                   irradiance_cell_luxel(light, cell[LOW_RIGHT]->right, row));
    else if (row == light->height - 1 && is[HIGH_LEFT] && is[HIGH_RIGHT])
        add_border(denoiser, luxel, irradiance_cell_luxel(light, cell[HIGH_LEFT]->left, row),
                   irradiance_cell_luxel(light, cell[HIGH_RIGHT]->right, row));
    else if (column == 0 && is[HIGH_RIGHT] && is[LOW_RIGHT])
        add_border(denoiser, luxel, irradiance_cell_luxel(light, column, cell[HIGH_RIGHT]->top),
                   irradiance_cell_luxel(light, column, cell[LOW_RIGHT]->bottom));
    else if (column == light->width - 1 && is[HIGH_LEFT] && is[LOW_LEFT])
        add_border(denoiser, luxel, irradiance_cell_luxel(light, column, cell[HIGH_LEFT]->top),
                   irradiance_cell_luxel(light, column, cell[LOW_LEFT]->bottom));
}

static bool is_gathered(const struct denoiser *denoiser, int column, int row)
{
    const struct face_light *light = denoiser->light;
    return column >= 0 && row >= 0 && column < light->width && row < light->height &&
           denoiser->known[irradiance_cell_luxel(light, column, row)] == LUXEL_GATHERED;
}

/* A luxel that was gathered like those beside it: on both sides along its row, its column, or
 * either. */
static void add_luxel(struct denoiser *denoiser, int luxel)
{
    const int width = denoiser->light->width, column = luxel % width, row = luxel / width;
    bool across = is_gathered(denoiser, column - 1, row) && is_gathered(denoiser, column + 1, row);
    bool along = is_gathered(denoiser, column, row - 1) && is_gathered(denoiser, column, row + 1);
    struct stencil stencil = {.luxel = luxel, .weight = {0.25f, 0.25f, 0.25f, 0.25f}, .square = 1};
    if (!across && !along)
        return;
    for (int i = 0; i < 4; i++) {
        int step = i % 2 ? 1 : -1;
        stencil.around[i] = luxel + step * (across && (i < 2 || !along) ? 1 : width);
    }
    arrput(denoiser->stencils[LUXELS], stencil);
}

/* Luxels that have no stencil yet. */
static void add_luxels(struct denoiser *denoiser)
{
    const int count = denoiser->light->count;
    unsigned char *has = memory_zalloc((size_t)count, 1);
    for (int kind = 0; kind < LUXELS; kind++)
        for (ptrdiff_t i = 0; i < arrlen(denoiser->stencils[kind]); i++)
            has[denoiser->stencils[kind][i].luxel] = 1;
    for (int luxel = 0; luxel < count; luxel++)
        if (!has[luxel] && denoiser->known[luxel] == LUXEL_GATHERED)
            add_luxel(denoiser, luxel);
    memory_free(has);
}

static void find_stencils(struct denoiser *denoiser, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++) {
        int corners[4];
        irradiance_cell_corners(denoiser->light, &denoiser->cells[i], corners);
        denoiser->corner_of[corners[0]][LOW_RIGHT] = (int)i + 1;
        denoiser->corner_of[corners[1]][LOW_LEFT] = (int)i + 1;
        denoiser->corner_of[corners[2]][HIGH_RIGHT] = (int)i + 1;
        denoiser->corner_of[corners[3]][HIGH_LEFT] = (int)i + 1;
        add_middle(denoiser, &denoiser->cells[i]);
    }
    for (int luxel = 0; luxel < denoiser->light->count; luxel++)
        add_corner(denoiser, luxel);
    add_luxels(denoiser);
}

/* The deviation of the point from its prediction, 3 numbers. */
static void deviation_of(const struct stencil *stencil, const float *values, float out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = values[3 * stencil->luxel + k];
        for (int i = 0; i < 4; i++)
            out[k] -= stencil->weight[i] * values[3 * stencil->around[i] + k];
    }
}

/* Mean curvature of the light at points of a kind: mean deviation per squared distance. */
static void mean_curvature(const struct stencil *stencils, const float *values, float out[3])
{
    float sum[3] = {0}, squares = 0, deviation[3];
    for (ptrdiff_t i = 0; i < arrlen(stencils); i++) {
        deviation_of(&stencils[i], values, deviation);
        for (int k = 0; k < 3; k++)
            sum[k] += deviation[k] * stencils[i].square;
        squares += stencils[i].square * stencils[i].square;
    }
    for (int k = 0; k < 3; k++)
        out[k] = squares > 0 ? sum[k] / squares : 0;
}

/* Combines the point with its prediction by what their variances make each worth. */
static void denoise_point(const struct stencil *stencil, const float *values, const float *variance,
                          const float bend[3], float *out)
{
    float deviation[3], bright = 0, others = 0, own = variance[stencil->luxel];
    deviation_of(stencil, values, deviation);
    for (int k = 0; k < 3; k++) {
        deviation[k] -= bend[k] * stencil->square;
        bright += deviation[k] / 3;
    }
    for (int i = 0; i < 4; i++)
        others += stencil->weight[i] * stencil->weight[i] * variance[stencil->around[i]];
    if (stencil->around[0] == stencil->around[2])
        others *= 2;
    float share = noise_share(bright, own + others);
    share *= own > 0 ? own / (own + others) : 0;
    for (int k = 0; k < 3; k++)
        out[3 * stencil->luxel + k] =
            portable_fmaxf(values[3 * stencil->luxel + k] - share * deviation[k], 0);
}

/* The light at a luxel, to which its deviation is in proportion. That of a point which differs from
 * the mean around it by no more than chance is the mean: if bright points had more variance because
 * of that, they would move more than dark ones, and light would be lost. */
static float level_of(const struct denoiser *denoiser, int luxel, const float *values, float around)
{
    const struct face_light *light = denoiser->light;
    float direct = direct_brightness(light, luxel);
    float own = mean_channel(values + 3 * (ptrdiff_t)luxel);
    float likely = portable_fminf(portable_fmaxf(around, own / MAX_APART), MAX_APART * own);
    return portable_fmaxf(direct + likely, MIN_LEVEL);
}

/* The variance of a single point is a poor estimate: `to` gets its mean with those of the
 * neighbours, relative to their light; other points keep theirs. */
static void even_variance(const struct denoiser *denoiser, const float *values, const float *from,
                          float *to)
{
    for (int kind = 0; kind < KINDS; kind++) {
        for (ptrdiff_t i = 0; i < arrlen(denoiser->stencils[kind]); i++) {
            const struct stencil *at = &denoiser->stencils[kind][i];
            float around = 0, relative = 0;
            for (int k = 0; k < 4; k++)
                around += mean_channel(values + 3 * (ptrdiff_t)at->around[k]) / 4;
            for (int k = 0; k < 5; k++) {
                int luxel = k < 4 ? at->around[k] : at->luxel;
                float level = level_of(denoiser, luxel, values, around);
                relative += from[luxel] / (level * level) / 5;
            }
            float level = level_of(denoiser, at->luxel, values, around);
            to[at->luxel] = relative * level * level;
        }
    }
}

static void denoise_slot(const struct denoiser *denoiser, int slot)
{
    const size_t count = (size_t)denoiser->light->count;
    float *out = denoiser->light->indirect + 3 * (size_t)slot * count;
    const float *own = denoiser->variance + (size_t)slot * count;
    float *values = memory_alloc(4 * count * sizeof *values), *variance = values + 3 * count;
    memcpy(values, out, 3 * count * sizeof *values);
    memcpy(variance, own, count * sizeof *variance);
    even_variance(denoiser, values, own, variance);
    for (int kind = 0; kind < KINDS; kind++) {
        float bend[3];
        mean_curvature(denoiser->stencils[kind], values, bend);
        for (ptrdiff_t i = 0; i < arrlen(denoiser->stencils[kind]); i++)
            denoise_point(&denoiser->stencils[kind][i], values, variance, bend, out);
    }
    window_denoise(denoiser->light, denoiser->known, denoiser->open, values, variance, out);
    memory_free(values);
}

void bounce_denoise(struct face_light *light, const struct irradiance_cell *cells, ptrdiff_t count,
                    const unsigned char *known, const float *variance)
{
    struct denoiser denoiser = {
        .light = light, .cells = cells, .known = known, .variance = variance};
    denoiser.corner_of = memory_zalloc((size_t)light->count, sizeof *denoiser.corner_of);
    find_stencils(&denoiser, count);
    denoiser.open = window_open_luxels(light, cells, count, known);
    for (int slot = 0; slot < light->slots; slot++)
        denoise_slot(&denoiser, slot);
    for (int kind = 0; kind < KINDS; kind++)
        arrfree(denoiser.stencils[kind]);
    memory_free(denoiser.open);
    memory_free(denoiser.corner_of);
}
