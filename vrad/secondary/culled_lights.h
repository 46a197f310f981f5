/* The hot spots that may matter inside a box, and what rays of its points leave out of them. */
#ifndef VRAD_SECONDARY_CULLED_LIGHTS_H
#define VRAD_SECONDARY_CULLED_LIGHTS_H

#include "vrad/secondary/secondary_lights.h"

/* Spots of the same lanes, a bit each. */
struct hot_part {
    int lanes;
    uint32_t spots;
};

struct hot_view {
    const struct hot_spots *hot;
    struct hot_part *parts; /* stb_ds array, in a rising order */
};

/* `clusters` say where the box lies; none: anywhere. Free with hot_view_free. */
void hot_view_of_box(const struct hot_spots *hot, const struct bounds *box, const int *clusters,
                     int cluster_count, struct hot_view *out);
void hot_view_of_face(const struct hot_spots *hot, int face, struct hot_view *out);
void hot_view_free(struct hot_view *view);

/* As hot_excess, of a luxel that is marked. */
const float *hot_excess_of(const struct hot_view *view, size_t seen, struct vec3 point);

/* What a ray from the point that met luxel `seen` of the map has to leave out, 3 numbers; NULL:
 * nothing. */
static inline const float *hot_excess(const struct hot_view *view, size_t seen, struct vec3 point)
{
    return hot_is_marked(view->hot, seen) ? hot_excess_of(view, seen, point) : NULL;
}

#endif
