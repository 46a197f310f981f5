/* Polynomials fitted to the luxels around one. */
#ifndef VRAD_BOUNCE_WINDOW_FIT_H
#define VRAD_BOUNCE_WINDOW_FIT_H

#include <stdbool.h>
#include <stdint.h>

/* A window reaches so many luxels to each side of its middle. Its luxels are bits of a mask: row by
 * row, WINDOW_STRIDE bits per row, of which the last is always 0. */
enum { WINDOW_REACH = 3, WINDOW_SIDE = 2 * WINDOW_REACH + 1, WINDOW_STRIDE = WINDOW_SIDE + 1 };
enum { WINDOW_LUXELS = WINDOW_SIDE * WINDOW_SIDE };

static inline uint64_t window_bit(int column, int row)
{
    return (uint64_t)1 << (row * WINDOW_STRIDE + column);
}

/* The luxels of `open` that are connected with the middle by sides, without those that are not in
 * `open`. */
uint64_t window_connected(uint64_t open);

/* A value of a window. */
struct window_sample {
    int8_t column, row; /* from the middle */
    float variance;     /* above 0 */
};

/* Fits by weighted least squares, from the one that follows the values most to the smoothest. */
enum window_stage {
    WINDOW_QUADRATIC_NEAR,
    WINDOW_QUADRATIC,
    WINDOW_LINEAR_NEAR,
    WINDOW_LINEAR,
    WINDOW_STAGES
};

static inline bool window_is_linear(enum window_stage stage)
{
    return stage >= WINDOW_LINEAR_NEAR;
}

/* Finds the weights, which sum up to 1, with which the samples give the value of the fit in the
 * middle; those out of the stage's reach get 0. Returns false where there are too few of them for a
 * fit, or all on one line. */
bool window_fit_find(const struct window_sample *samples, int count, enum window_stage stage,
                     float weights[WINDOW_LUXELS]);

#endif
