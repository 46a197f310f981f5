/* Light culling: the secondary lights that may matter inside a box, and the residual that rays from
 * its points leave to them. */
#ifndef VRAD_SECONDARY_CULLED_LIGHTS_H
#define VRAD_SECONDARY_CULLED_LIGHTS_H

#include "vrad/secondary/secondary_lights.h"

/* Lights of one lane group, one bit each. */
struct culled_lanes {
    int lanes;
    uint32_t lights;
};

struct culled_lights {
    const struct secondary_lights *secondary;
    struct culled_lanes *parts; /* stb_ds array, in ascending order */
};

/* `clusters` are those of the box; none: it may lie anywhere. Free with culled_lights_free. */
void culled_lights_of_box(const struct secondary_lights *secondary, const struct bounds *box,
                          const int *clusters, int cluster_count, struct culled_lights *out);
void culled_lights_of_face(const struct secondary_lights *secondary, int face,
                           struct culled_lights *out);
void culled_lights_free(struct culled_lights *view);

/* Like secondary_residual, for a luxel that is marked. */
const float *secondary_residual_of(const struct culled_lights *view, size_t seen,
                                   struct vec3 point);

/* The part of the radiosity of luxel `seen` that a ray from the point must leave to next-event
 * estimation, 3 numbers; NULL: nothing. */
static inline const float *secondary_residual(const struct culled_lights *view, size_t seen,
                                              struct vec3 point)
{
    return secondary_is_marked(view->secondary, seen) ? secondary_residual_of(view, seen, point)
                                                      : NULL;
}

#endif
