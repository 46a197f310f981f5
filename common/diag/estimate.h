/* Estimates the remaining time of a task.
 *
 * Work seldom proceeds at a constant pace: easy items come first, or earlier results speed up the
 * rest. So the elapsed time is fitted by a parabola of the fraction done (least squares,
 * non-decreasing) and by a straight line at the mean pace; the estimate is the interval between the
 * two. */
#ifndef DIAG_ESTIMATE_H
#define DIAG_ESTIMATE_H

#include <stddef.h>

/* Zero-initialise at the start. */
struct estimate {
    double s2, s3, s4; /* sums of powers of the fraction */
    double tx, txx;    /* sums of the seconds times powers of the fraction */
    double part, seconds;
};

/* Adds a measurement: fraction done (0 .. 1) after that many seconds. Times ascend. */
void estimate_add(struct estimate *estimate, double part, double seconds);

/* Returns the minimum and maximum of the seconds left, counted from the last call of estimate_add;
 * both 0 before the first. */
void estimate_left(const struct estimate *estimate, double *min, double *max);

/* Formats "about 40 s left", "20 to 50 s left", "2 to 3 h left". */
void estimate_text(double min, double max, char *out, size_t size);

#endif
