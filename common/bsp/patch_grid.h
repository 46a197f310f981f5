/* Curved surfaces of IBSP as grids: control points, row after row, each third one shared by two
 * quadratic curves. Both sizes are odd. */
#ifndef BSP_PATCH_GRID_H
#define BSP_PATCH_GRID_H

#include "common/bsp/bsp.h"
#include "common/core/arena.h"
#include "common/geom/vec.h"

struct patch_point {
    struct vec3 p, normal; /* unit */
    double texture[2], lightmap[2], colour[4];
};

/* Point (row r, column c) is number r * columns + c. Even steps of the curves' parameter: control
 * point i lies at column i * (columns - 1) / (patch_size[0] - 1). */
struct patch_grid {
    int columns, rows;
    struct patch_point *points;
};

/* As coarse as keeps the chords within `error` units of the curves, or with so many pieces of each
 * curve when `pieces` is above 0. False, and nothing made, for a surface that is no sound patch.
 * In the arena. */
bool patch_grid_build(const struct bsp *bsp, const struct bsp_surface *patch, double error,
                      int pieces, struct arena *arena, struct patch_grid *out);

#endif
