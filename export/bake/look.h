/* Internal: a point of a triangle, as it looks from straight in front. */
#ifndef EXPORT_BAKE_LOOK_H
#define EXPORT_BAKE_LOOK_H

#include "scene/light/tone.h"
#include "scene/shade/material_at.h"

/* Returns the hit of a point by the weights of the corners. */
struct surface_hit look_hit(const struct map_scene *map, uint32_t triangle,
                            const double weights[3]);

/* The colour of a sample that is `width` units wide: the bytes of a picture, and as alpha the least
 * with which the point can add what it adds to what is behind. */
void look_colour(const struct map_scene *map, const struct tone *tone,
                 const struct surface_hit *hit, double width, unsigned char rgba[4]);
/* The light alone, linear, 0 .. 1. */
void look_light(const struct map_scene *map, const struct tone *tone, const struct surface_hit *hit,
                float out[3]);

/* Returns the exposure for HDR light, of which all surfaces get a middle grey. */
double look_exposure(const struct map_scene *map);

#endif
