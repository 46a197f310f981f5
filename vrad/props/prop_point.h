/* Irradiance at a point of a static prop. A point that solids cover is moved aside along its
 * surface. */
#ifndef VRAD_PROPS_PROP_POINT_H
#define VRAD_PROPS_PROP_POINT_H

#include "vrad/ambient/irradiance_point.h"

enum prop_point {
    PROP_POINT_COVERED, /* by solids or displacements, even moved aside: its light is invalid */
    PROP_POINT_ASIDE,   /* lit from the moved position */
    PROP_POINT_FREE
};

/* Puts the position into the point, and the leaf of the map there. */
void prop_point_place(const struct bsp *bsp, struct vec3 position, struct irradiance_point *point);

/* Lights `point`, whose position is on the prop: rays start above it, and the leaf of the map there
 * is put into the point. */
enum prop_point prop_point_light(const struct irradiance_sampler *sampler, const struct bsp *bsp,
                                 struct irradiance_point *point, struct point_irradiance *out);

#endif
