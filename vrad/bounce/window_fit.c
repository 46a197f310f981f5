#include "vrad/bounce/window_fit.h"

/* Terms of a polynomial: 1, x, y, and those of second degree. */
enum { LINEAR_TERMS = 3, TERMS = 6 };

/* A fit needs more luxels than terms by this factor: else it follows the noise. */
enum { LUXELS_PER_TERM = 2 };

/* A pivot that is smaller relative to its sum of squares: the luxels lie on a line or a curve on
 * which the polynomial is not determined. */
#define MIN_PIVOT 1e-6

struct stage {
    int terms, square_reach; /* of a disk of luxels */
};

static const struct stage stages[WINDOW_STAGES] = {
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

static void terms_of(double x, double y, double out[TERMS])
{
    out[0] = 1;
    out[1] = x;
    out[2] = y;
    out[3] = x * x;
    out[4] = x * y;
    out[5] = y * y;
}

static bool is_within(const struct window_sample *sample, const struct stage *stage)
{
    return sample->column * sample->column + sample->row * sample->row <= stage->square_reach;
}

/* Adds up the normal equations. Returns the number of samples. */
static int sum_up(const struct window_sample *samples, int count, const struct stage *stage,
                  double matrix[TERMS][TERMS])
{
    int taken = 0;
    for (int i = 0; i < count; i++) {
        double at[TERMS], worth = 1 / (double)samples[i].variance;
        if (!is_within(&samples[i], stage))
            continue;
        taken++;
        terms_of(samples[i].column, samples[i].row, at);
        for (int j = 0; j < stage->terms; j++)
            for (int k = 0; k <= j; k++)
                matrix[j][k] += worth * at[j] * at[k];
    }
    return taken;
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
    double matrix[TERMS][TERMS] = {{0}}, solution[TERMS], at[TERMS];
    if (sum_up(samples, count, stage, matrix) < LUXELS_PER_TERM * stage->terms ||
        !factor(matrix, stage->terms))
        return false;
    solve(matrix, stage->terms, solution);
    for (int i = 0; i < count; i++) {
        double weight = 0;
        terms_of(samples[i].column, samples[i].row, at);
        for (int j = 0; j < stage->terms; j++)
            weight += solution[j] * at[j];
        weights[i] = is_within(&samples[i], stage) ? (float)(weight / (double)samples[i].variance)
                                                   : 0;
    }
    return true;
}
