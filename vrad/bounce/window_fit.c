#include "vrad/bounce/window_fit.h"

/* Terms of a polynomial: 1, x, y, x^2, xy, y^2. */
enum { LINEAR_TERMS = 3, TERMS = 6 };

/* A fit needs more luxels than terms by this factor: else it follows the noise. */
enum { LUXELS_PER_TERM = 2 };

/* A pivot that is smaller relative to its sum of squares: the luxels lie on a line or a curve on
 * which the polynomial is not determined. */
#define MIN_PIVOT 1e-6

static const struct stage {
    int terms, square_reach; /* of a disk of luxels */
} stages[WINDOW_STAGES] = {
    [WINDOW_QUADRATIC_NEAR] = {TERMS, 8},
    [WINDOW_QUADRATIC] = {TERMS, 13},
    [WINDOW_LINEAR_NEAR] = {LINEAR_TERMS, 5},
    [WINDOW_LINEAR] = {LINEAR_TERMS, 10},
};

uint64_t window_connected(uint64_t open)
{
    uint64_t found = window_bit(WINDOW_REACH, WINDOW_REACH) & open, before = 0;
    while (found != before) {
        before = found;
        found |= found << 1 | found >> 1 | found << WINDOW_STRIDE | found >> WINDOW_STRIDE;
        found &= open;
    }
    return found;
}

static bool is_within(const struct window_sample *sample, const struct stage *stage)
{
    return sample->column * sample->column + sample->row * sample->row <= stage->square_reach;
}

/* The lower half of the normal equations. Returns the number of samples. */
static int sum_linear(const struct window_sample *samples, int count, const struct stage *stage,
                      double out[TERMS][TERMS])
{
    int taken = 0;
    for (int i = 0; i < count; i++) {
        if (!is_within(&samples[i], stage))
            continue;
        double x = samples[i].column, y = samples[i].row, worth = 1 / (double)samples[i].variance;
        out[0][0] += worth;
        out[1][0] += worth * x;
        out[1][1] += worth * x * x;
        out[2][0] += worth * y;
        out[2][1] += worth * x * y;
        out[2][2] += worth * y * y;
        taken++;
    }
    return taken;
}

static void sum_squares(const struct window_sample *samples, int count, const struct stage *stage,
                        double out[TERMS][TERMS])
{
    for (int i = 0; i < count; i++) {
        if (!is_within(&samples[i], stage))
            continue;
        double x = samples[i].column, y = samples[i].row, worth = 1 / (double)samples[i].variance;
        double xx = worth * x * x, xy = worth * x * y, yy = worth * y * y;
        out[3][1] += xx * x;
        out[3][2] += xx * y;
        out[3][3] += xx * x * x;
        out[4][2] += yy * x;
        out[4][3] += xx * x * y;
        out[4][4] += xx * y * y;
        out[5][2] += yy * y;
        out[5][4] += xy * y * y;
        out[5][5] += yy * y * y;
    }
    /* The other sums are among these. */
    out[3][0] = out[1][1];
    out[4][0] = out[2][1];
    out[5][0] = out[2][2];
    out[4][1] = out[3][2];
    out[5][1] = out[4][2];
    out[5][3] = out[4][4];
}

/* Factors the normal equations as L D L^T, in place. Returns false where they determine no fit. */
static bool factor(double matrix[TERMS][TERMS], int terms)
{
    for (int i = 0; i < terms; i++) {
        double whole = matrix[i][i];
        for (int j = 0; j < i; j++) {
            double share = matrix[i][j];
            for (int k = 0; k < j; k++)
                share -= matrix[i][k] * matrix[j][k] * matrix[k][k];
            matrix[i][j] = share / matrix[j][j];
        }
        for (int k = 0; k < i; k++)
            matrix[i][i] -= matrix[i][k] * matrix[i][k] * matrix[k][k];
        if (!(matrix[i][i] > MIN_PIVOT * whole))
            return false;
    }
    return true;
}

/* Solves for the row of the inverse that gives the constant term. */
static void solve(double matrix[TERMS][TERMS], int terms, double out[TERMS])
{
    for (int i = 0; i < terms; i++) {
        out[i] = i == 0;
        for (int k = 0; k < i; k++)
            out[i] -= matrix[i][k] * out[k];
    }
    for (int i = terms - 1; i >= 0; i--) {
        out[i] /= matrix[i][i];
        for (int k = i + 1; k < terms; k++)
            out[i] -= matrix[k][i] * out[k];
    }
}

bool window_fit_find(const struct window_sample *samples, int count, enum window_stage number,
                     float weights[WINDOW_LUXELS])
{
    const struct stage *stage = &stages[number];
    double matrix[TERMS][TERMS] = {{0}}, by[TERMS] = {0};
    if (sum_linear(samples, count, stage, matrix) < LUXELS_PER_TERM * stage->terms)
        return false;
    if (stage->terms == TERMS)
        sum_squares(samples, count, stage, matrix);
    if (!factor(matrix, stage->terms))
        return false;
    solve(matrix, stage->terms, by);
    for (int i = 0; i < count; i++) {
        double x = samples[i].column, y = samples[i].row;
        double weight = by[0] + by[1] * x + by[2] * y + (by[3] * x + by[4] * y) * x + by[5] * y * y;
        weights[i] =
            is_within(&samples[i], stage) ? (float)(weight / (double)samples[i].variance) : 0;
    }
    return true;
}
