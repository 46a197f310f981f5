/* The light grid of a map of Quake 3: points at even distances in the box of the world, in rows
 * along x, then y, then z. */
#ifndef BSP_LIGHT_GRID_H
#define BSP_LIGHT_GRID_H

#include "common/bsp/bsp.h"
#include "common/geom/vec.h"

struct light_grid {
    struct vec3 cell, origin; /* distances of points, and the first point */
    int count[3];
};

/* Returns the grid as the engine places it, in its precision. `cell`: the gridsize of the world; 64
 * 64 128 where it is not above 0. The BSP has a model. */
struct light_grid light_grid_of(const struct bsp *bsp, struct vec3 cell);
size_t light_grid_points(const struct light_grid *grid);

/* Light at a place: bytes as in the records, before the engine brightens them. */
struct grid_light {
    double ambient[3], directed[3];
    struct vec3 towards; /* the light; a unit vector, or 0 */
};

/* Returns the mean of the points around the place, by their distance, without those that have no
 * light: they are in walls. The BSP has that many points. */
struct grid_light light_grid_at(const struct bsp *bsp, const struct light_grid *grid,
                                struct vec3 place);

#endif
