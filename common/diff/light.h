/* Internal to common/diff: dissimilarity of light, for the sections that compare it. */
#ifndef DIFF_LIGHT_H
#define DIFF_LIGHT_H

#include "common/diff/diff_internal.h"

struct diff_rgb {
    double c[3];
};

/* Statistics on ratios of luminance, B to A, in powers of two. */
struct diff_light {
    double square, sum, max;
    size_t count, differing;
};

struct diff_rgb diff_colour(struct bsp_colour colour);
/* Adds a pair; returns true when its colours differ by more than `share` of the brightest
 * component. */
bool diff_light_add(struct diff_light *light, const struct diff_rgb *a, const struct diff_rgb *b,
                    double share);
/* Records the number of differences under the name `what`, and the statistics over all pairs;
 * nothing when no pair differs. */
void diff_light_figures(struct comparison *c, const struct diff_light *light, const char *what);

#endif
