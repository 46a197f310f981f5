/* Chooses the ambient samples of a leaf among many candidates: points that lie apart and differ in
 * light. */
#ifndef VRAD_AMBIENT_AMBIENT_CHOICE_H
#define VRAD_AMBIENT_AMBIENT_CHOICE_H

enum {
    CHOICE_CANDIDATES = 128, /* maximum */
    CHOICE_PICKS = 16,       /* maximum */
    CHOICE_LIGHTS = 20,      /* 6 sides of 3 channels, padded with zeros */
};

struct choice_point {
    float place[3];
    float light[CHOICE_LIGHTS]; /* 255 is white; the last two are 0 */
};

/* Predicts the light of the points from `known` to `count` from those before: their mean, weighted
 * by the inverse square of the distance. At least one is known. */
void choice_predict(struct choice_point *points, int known, int count);

/* Picks at most `max` points and writes their numbers into `picked`; returns the count. Adds the
 * points in order, and whenever there are more than that drops one of the two that are most alike.
 */
int choice_pick(const struct choice_point *points, int count, int max, int *picked);

#endif
