#include "vrad/bounce/window_denoise.h"

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"

/* Variance of light without any. */
#define MIN_VARIANCE 1e-8f

/* Luxels of a window that make fits worth while. */
enum { MIN_LUXELS = 10 };

/* Noise, relative to all light of the luxel, that needs no denoising. */
#define UNSEEN 0.02f

/* ---- windows ---- */

unsigned char *window_open_luxels(const struct face_light *light,
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

void window_denoise(const struct face_light *light, const unsigned char *known,
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
