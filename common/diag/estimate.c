#include "common/diag/estimate.h"

#include <math.h>
#include <stdio.h>

#include "common/core/portable_math.h"

/* Estimates whose ratio is less than this are shown as one. */
#define SAME 1.3

void estimate_add(struct estimate *estimate, double part, double seconds)
{
    double square = part * part;
    estimate->s2 += square;
    estimate->s3 += square * part;
    estimate->s4 += square * square;
    estimate->tx += seconds * part;
    estimate->txx += seconds * square;
    estimate->part = part;
    estimate->seconds = seconds;
}

/* Fits seconds = a * part + b * part squared, non-decreasing from 0 to 1. */
static void fit(const struct estimate *e, double *a, double *b)
{
    double det = e->s2 * e->s4 - e->s3 * e->s3;
    *a = e->tx / e->s2;
    *b = 0;
    if (det > 1e-9 * e->s2 * e->s4) {
        *a = (e->tx * e->s4 - e->txx * e->s3) / det;
        *b = (e->txx * e->s2 - e->tx * e->s3) / det;
    }
    if (*a < 0) {
        *a = 0;
        *b = e->txx / e->s4;
    } else if (*a + 2 * *b < 0) {
        *a = (e->tx - e->txx / 2) / (e->s2 - e->s3 + e->s4 / 4);
        *b = -*a / 2;
    }
}

void estimate_left(const struct estimate *estimate, double *min, double *max)
{
    double part = estimate->part, a, b;
    *min = *max = 0;
    if (!(part > 0))
        return;
    fit(estimate, &a, &b);
    double line = estimate->seconds * (1 - part) / part;
    double curve = portable_fmax(0, a + b - (a * part + b * part * part));
    *min = portable_fmin(line, curve);
    *max = portable_fmax(line, curve);
}

/* Rounds to two digits: more would not be meaningful. */
static double rounded(double value)
{
    double unit = value < 10 ? 1 : value < 100 ? 5 : 10;
    return portable_fmax(1, rint(value / unit) * unit);
}

void estimate_text(double min, double max, char *out, size_t size)
{
    double scale = max < 100 ? 1 : max < 5400 ? 60 : 3600;
    const char *unit = scale == 1 ? "s" : scale == 60 ? "min" : "h";
    double low = rounded(min / scale), high = rounded(max / scale);
    if (max <= SAME * min || low == high)
        snprintf(out, size, "about %.0f %s left", high, unit);
    else
        snprintf(out, size, "%.0f to %.0f %s left", low, high, unit);
}
