/* Which of many candidates become the samples of a leaf: points that lie apart and differ in light.
 */
#ifndef VRAD_AMBIENT_AMBIENT_CHOICE_H
#define VRAD_AMBIENT_AMBIENT_CHOICE_H

enum {
    CHOICE_CANDIDATES = 128, /* at most */
    CHOICE_PICKS = 16,       /* at most */
    CHOICE_LIGHTS = 20,      /* 6 sides of 3 channels, and zeros */
};

struct choice_point {
    float place[3];
    float light[CHOICE_LIGHTS]; /* 255 is white; the last two are 0 */
};

/* Gives the points from `known` to `count` the light that those before foretell: a mean by the
 * inverse square of the distance. At least one is known. */
void choice_foretell(struct choice_point *points, int known, int count);

/* At most `most` of the points, by number, into `picked`; returns how many. Of one too many each,
 * in their order, one of the two goes that are most alike. */
int choice_pick(const struct choice_point *points, int count, int max, int *picked);

#endif
