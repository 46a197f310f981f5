/* The light of hot spots at a point. */
#ifndef VRAD_SECONDARY_HOT_LIGHT_H
#define VRAD_SECONDARY_HOT_LIGHT_H

#include "vrad/secondary/hot_cells.h"

/* A point that takes light by the cosine with some axes. */
struct hot_receiver {
    struct vec3 position, start; /* rays leave from `start`, off the surface */
    struct vec3 axis[HOT_AXES];
    int axes;
    double min; /* what a ray is worth: spots that give less, of 255, share one; 0: 0.2 */
    uint64_t seed;
};

/* Adds to `out`, 3 floats an axis, what the receiver gets of the spots above the cap. Returns how
 * many rays that took. */
int hot_light(const struct hot_view *view, const struct hot_receiver *to, float *out);

/* As hot_light, for a receiver in the place of a luxel of the cell: with its normal, or with
 * several axes if the face is bumped. */
int hot_cell_light(const struct hot_view *view, const struct hot_cell *cell,
                   const struct hot_receiver *to, float *out);

#endif
