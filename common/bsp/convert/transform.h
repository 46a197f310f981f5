/* Moves and scales compiled maps of Quake 3. */
#ifndef BSP_CONVERT_TRANSFORM_H
#define BSP_CONVERT_TRANSFORM_H

#include "common/bsp/bsp.h"
#include "common/diag/diag.h"
#include "common/geom/vec.h"

/* A point p comes to p * scale + shift, by component; the scales are above 0. */
struct bsp_transform {
    struct vec3 scale, shift;
};

/* Transforms planes, boxes, models, surfaces, the origins and the gridsize of entities, and
 * resamples the light grid. Models of entities with an origin are about it, and stay so. Texture
 * coordinates and light do not change. Fails (BSP_TRANSFORM) for other maps than those of Quake 3,
 * and when coordinates would not fit the engine. */
NODISCARD enum status bsp_transform(struct bsp *bsp, const struct bsp_transform *transform,
                                    const char *name, struct diag *diag);

#endif
