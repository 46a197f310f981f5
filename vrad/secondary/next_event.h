/* Next-event estimation: the light of secondary lights at a point. */
#ifndef VRAD_SECONDARY_NEXT_EVENT_H
#define VRAD_SECONDARY_NEXT_EVENT_H

#include "vrad/secondary/light_cells.h"

/* A point that receives light by the cosine with one or more axes. */
struct next_event_receiver {
    struct vec3 position, start; /* `start`: origin of the rays, off the surface */
    struct vec3 axis[SECONDARY_AXES];
    int axes;
    double min; /* gain that is worth a ray, of 255: lights with less share one; 0: 0.2 */
    uint64_t seed;
};

/* Adds the residuals of the secondary lights at the receiver to `out`, 3 floats per axis. Returns
 * the number of rays. */
int next_event_light(const struct culled_lights *view, const struct next_event_receiver *to,
                     float *out);

/* Like next_event_light, for the position of a luxel of the cell: with its normal, or with several
 * axes if the face is bumped. */
int next_event_cell_light(const struct culled_lights *view, const struct light_cell *cell,
                          const struct next_event_receiver *to, float *out);

#endif
