/* The hot spots that may matter inside a box, and what rays of its points leave out of them. */
#ifndef VRAD_SECONDARY_CULLED_LIGHTS_H
#define VRAD_SECONDARY_CULLED_LIGHTS_H

#include "vrad/secondary/secondary_lights.h"

/* Spots of the same lanes, a bit each. */
struct culled_lanes {
    int lanes;
    uint32_t lights;
};

struct culled_lights {
    const struct secondary_lights *secondary;
    struct culled_lanes *parts; /* stb_ds array, in a rising order */
};

/* `clusters` say where the box lies; none: anywhere. Free with culled_lights_free. */
void culled_lights_of_box(const struct secondary_lights *secondary, const struct bounds *box,
                          const int *clusters, int cluster_count, struct culled_lights *out);
void culled_lights_of_face(const struct secondary_lights *secondary, int face,
                           struct culled_lights *out);
void culled_lights_free(struct culled_lights *view);

/* As secondary_residual, of a luxel that is marked. */
const float *secondary_residual_of(const struct culled_lights *view, size_t seen,
                                   struct vec3 point);

/* What a ray from the point that met luxel `seen` of the map has to leave out, 3 numbers; NULL:
 * nothing. */
static inline const float *secondary_residual(const struct culled_lights *view, size_t seen,
                                              struct vec3 point)
{
    return secondary_is_marked(view->secondary, seen) ? secondary_residual_of(view, seen, point)
                                                      : NULL;
}

#endif
