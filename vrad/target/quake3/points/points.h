/* Light at points: at vertices, and on the light grid, from luxels and lights. */
#ifndef VRAD_QUAKE3_POINTS_POINTS_H
#define VRAD_QUAKE3_POINTS_POINTS_H

#include "vrad/ambient/irradiance_point.h"
#include "vrad/target/quake3/level/level.h"

/* vertices.c: vertex lighting: surfaces with luxels take theirs, models are lit at their vertices.
 * After the pages. `sky` is the same sampler without light that bounces. */
void quake3_light_vertices(struct quake3_light *q, const struct irradiance_sampler *sampler,
                           const struct irradiance_sampler *sky);

/* grid.c: the light grid, from which the engine lights moving objects: a regular grid over the
 * world's bounds, with ambient and directed light per point. If there are too many points, the
 * spacing is increased, written into worldspawn, and reported (R061). */
void quake3_light_grid(struct quake3_light *q, const struct irradiance_sampler *sampler);

#endif
