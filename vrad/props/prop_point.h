/* The light at a point of a static prop. One that solids cover steps aside along its surface. */
#ifndef VRAD_PROPS_PROP_POINT_H
#define VRAD_PROPS_PROP_POINT_H

#include "vrad/ambient/irradiance_point.h"

enum prop_point {
    PROP_POINT_COVERED, /* by solids or displacements, also a step aside: its light is of no use */
    PROP_POINT_ASIDE,   /* lit from a step aside */
    PROP_POINT_FREE
};

/* Lights `point`, whose position is that on the prop; its rays start above that, and the leaf of
 * the map there is put into it. */
enum prop_point prop_point_light(const struct irradiance_sampler *sampler, const struct bsp *bsp,
                                 struct irradiance_point *point, struct point_irradiance *out);

#endif
