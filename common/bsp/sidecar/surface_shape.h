/* The shape of a surface as q3map2's light stage is told of it, which has no other way to know. */
#ifndef BSP_SIDECAR_SURFACE_SHAPE_H
#define BSP_SIDECAR_SURFACE_SHAPE_H

#include "common/bsp/bsp.h"

/* The measure of a curved patch by which it is subdivided; 0: flat, or no patch. */
double surface_longest_curve(const struct bsp *bsp, const struct bsp_surface *surface);
/* The axis along which the lightmap of the surface is projected. False: there is none that all of
 * it faces. */
bool surface_lightmap_axis(const struct bsp *bsp, const struct bsp_surface *surface, float out[3]);

#endif
