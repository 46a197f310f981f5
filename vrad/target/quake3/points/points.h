/* Light at points: at vertices, and in the air. Both look around for themselves, at what luxels and
 * lights give there. */
#ifndef VRAD_QUAKE3_POINTS_POINTS_H
#define VRAD_QUAKE3_POINTS_POINTS_H

#include "vrad/ambient/irradiance_point.h"
#include "vrad/target/quake3/level/level.h"

/* vertices.c: the colours of all vertices: of surfaces that have luxels, what these say; of models,
 * what the points see. After the pages. */
void quake3_light_vertices(struct quake3_light *q, const struct irradiance_sampler *sampler);

/* grid.c: the light grid, by which the engine lights what moves: points in even steps through the
 * box of the world, each with light from everywhere and light from one direction. Where it has too
 * many points its step is written into the keys of the world, and told (R061). */
void quake3_light_grid(struct quake3_light *q, const struct irradiance_sampler *sampler);

#endif
