/* Curved surfaces of IBSP, whose vertices are control points (patch_grid.h), as points on them. */
#ifndef BSP_PATCH_SURFACE_H
#define BSP_PATCH_SURFACE_H

#include "common/bsp/bsp.h"
#include "common/core/arena.h"
#include "common/geom/vec.h"

struct patch_point {
    struct vec3 p, normal; /* unit */
    double texture[2];
};

/* Point (row r, column c) is number r * columns + c. Even steps of the curves' parameter: control
 * point i lies at column i * (columns - 1) / (patch_size[0] - 1). */
struct patch_surface {
    int columns, rows;
    struct patch_point *points;
};

/* As coarse as keeps the chords within `error` units of the curves, or with so many pieces of each
 * curve when `pieces` is above 0. False, and nothing made, for a surface that is no sound patch.
 * In the arena. */
bool patch_surface_build(const struct bsp *bsp, const struct bsp_surface *patch, double error,
                         int pieces, struct arena *arena, struct patch_surface *out);

#endif
