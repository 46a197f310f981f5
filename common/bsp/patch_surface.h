/* Tessellates the curved surfaces of IBSP, whose vertices are control points (patch_grid.h). */
#ifndef BSP_PATCH_SURFACE_H
#define BSP_PATCH_SURFACE_H

#include "common/bsp/bsp.h"
#include "common/core/arena.h"
#include "common/geom/vec.h"

struct patch_point {
    struct vec3 p, normal; /* unit */
    double texture[2];
};

/* Point (row r, column c) is number r * columns + c. The points are evenly spaced in the curves'
 * parameter: control point i lies at column i * (columns - 1) / (patch_size[0] - 1). */
struct patch_surface {
    int columns, rows;
    struct patch_point *points;
};

/* Builds the coarsest grid that keeps the chords within `error` units of the curves or, when
 * `pieces` is above 0, the grid with that many segments per curve. In the arena. Returns false, and
 * allocates nothing, when the surface is not a valid patch. */
bool patch_surface_build(const struct bsp *bsp, const struct bsp_surface *patch, double error,
                         int pieces, struct arena *arena, struct patch_surface *out);

#endif
