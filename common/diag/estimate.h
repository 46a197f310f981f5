/* How long something that is under way will still take.
 *
 * Work seldom goes on at one pace: what is easy comes first, or what is learnt makes the rest
 * easier. So the time so far is taken as a parabola of the part that is done (the best one by least
 * squares that never falls), beside the straight line of the mean pace: an honest answer is what
 * lies between the two. */
#ifndef DIAG_ESTIMATE_H
#define DIAG_ESTIMATE_H

#include <stddef.h>

/* Zero-initialise at the start. */
struct estimate {
    double s2, s3, s4; /* sums of powers of the part done */
    double tx, txx;    /* sums of the seconds times powers of it */
    double part, seconds;
};

/* After so many seconds so much (0 .. 1) is done. Times ascend. */
void estimate_add(struct estimate *estimate, double part, double seconds);

/* Seconds from the last call of estimate_add on, at least and at most; both 0 before the first. */
void estimate_left(const struct estimate *estimate, double *min, double *max);

/* "about 40 s left", "20 to 50 s left", "2 to 3 h left". */
void estimate_text(double min, double max, char *out, size_t size);

#endif
