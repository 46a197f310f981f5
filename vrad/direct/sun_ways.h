/* Where rays to a sun go. */
#ifndef VRAD_DIRECT_SUN_WAYS_H
#define VRAD_DIRECT_SUN_WAYS_H

#include "vrad/direct/direct_face.h"

struct sun_ways {
    float way[3][LUXEL_FINE];
};

/* Of the fine samples of a luxel, each to a place of its own on the sun. */
void sun_ways_make(const struct direct_face *face, const struct light *sun, int luxel,
                   struct sun_ways *out);

/* What the sun gives to a luxel that sees all of it, one a slot: all of it lies the same way.
 * False: nothing. */
bool sun_weights(const struct direct_face *face, const struct light *sun, int luxel,
                 float weight[LUXEL_SLOTS]);

#endif
