/* The measuring grid of developer materials, whose textures only a game has. */
#ifndef SCENE_MATERIALS_GRID_H
#define SCENE_MATERIALS_GRID_H

#include "common/geom/vec.h"
#include "scene/materials/texture.h"

/* Lines every 16 units, bright ones every 64, with numbers. */
struct texture *grid_texture_new(void);

/* Sets the place on the grid, 1 being the whole image, at a point of a surface: it lies along the
 * axes of the map. */
void grid_place(struct vec3 point, struct vec3 normal, double uv[2]);

/* Returns the linear brightness of the grid from afar, by which a colour is divided that has the
 * grid on it. */
float grid_mean(const struct texture *grid);

/* Samples the brightness, whose mean is 1, at a point of a surface. `width` is the extent of the
 * sample, in units. */
float grid_at(const struct texture *grid, struct vec3 point, struct vec3 normal, double width);

#endif
