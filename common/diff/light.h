/* Inside common/diff: how unlike light is, for the sections of bsp_diff that compare it. */
#ifndef DIFF_LIGHT_H
#define DIFF_LIGHT_H

#include "common/diff/diff_internal.h"

/* Added to both before their ratio is taken: what is darker is black to the eye (255 is white). */
#define DIFF_LIGHT_FLOOR 0.5

struct diff_rgb {
    double c[3];
};

/* Ratios of luminance, B to A, in powers of two. */
struct diff_light {
    double square, sum, max;
    size_t count, differing;
};

struct diff_rgb diff_colour(struct bsp_colour colour);
/* Takes one pair in; whether its colours are further apart than `share` of the brightest part. */
bool diff_light_add(struct diff_light *light, const struct diff_rgb *a, const struct diff_rgb *b,
                    double share);
/* How many differ under the name `what`, and by how much all do; nothing when none does. */
void diff_light_figures(struct comparison *c, const struct diff_light *light, const char *what);

#endif
