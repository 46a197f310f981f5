/* The light of hot spots at a point. */
#ifndef VRAD_SECONDARY_NEXT_EVENT_H
#define VRAD_SECONDARY_NEXT_EVENT_H

#include "vrad/secondary/light_cells.h"

/* A point that takes light by the cosine with some axes. */
struct next_event_receiver {
    struct vec3 position, start; /* rays leave from `start`, off the surface */
    struct vec3 axis[SECONDARY_AXES];
    int axes;
    double min; /* what a ray is worth: spots that give less, of 255, share one; 0: 0.2 */
    uint64_t seed;
};

/* Adds to `out`, 3 floats an axis, what the receiver gets of the spots above the cap. Returns how
 * many rays that took. */
int next_event_light(const struct culled_lights *view, const struct next_event_receiver *to,
                     float *out);

/* As next_event_light, for a receiver in the place of a luxel of the cell: with its normal, or with
 * several axes if the face is bumped. */
int next_event_cell_light(const struct culled_lights *view, const struct light_cell *cell,
                          const struct next_event_receiver *to, float *out);

#endif
