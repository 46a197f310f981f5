/* Which leaves of a finished BSP a model reaches into. */
#ifndef VBSP_SOURCE_PROPS_PROP_LEAVES_H
#define VBSP_SOURCE_PROPS_PROP_LEAVES_H

#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

/* Adds the leaves of the world that the convex body around the points meets by more than a touch,
 * but no solid ones. *leaves is an stb_ds array, in descending order and without repeats, as
 * Valve's tools list them. */
void prop_leaves_add(const struct bsp *bsp, const struct vec3 *points, size_t count,
                     int32_t **leaves);

#endif
