/* Shader directives for surfaces: tessellation, clones, remapped shaders, flares. */
#ifndef VBSP_QUAKE3_SURFACES_SHADER_DIRECTIVES_H
#define VBSP_QUAKE3_SURFACES_SHADER_DIRECTIVES_H

#include "common/assets/assets.h"
#include "common/text/entities.h"
#include "vbsp/target/quake3/surfaces/surface.h"

/* Cuts polygons whose shader has q3map_tessSize along a grid of that size (in the space of the
 * surface). Replaces the array. */
void surfaces_tessellate(struct draw_surface **surfaces);

/* q3map_remapShader: surfaces change their shader. q3map_cloneShader: a copy with the other shader;
 * q3map_backShader: a copy that faces backwards. q3map_invert: the surface faces backwards.
 * keys.cel_shader: a copy with that shader, except of sky, sprites and decals (polygonOffset).
 * Copies make no copies of the same kind. Cycles of shaders are followed 8 times, and reported
 * (V438). Appends to the array. */
void surfaces_copy(struct draw_surface **surfaces, struct assets *assets, struct diag *diag);

/* A flare (SURFACE_FLARE) has one vertex: its position, direction (0 0 0: visible from all sides)
 * and colour. In the file it has none: position, colour and normal are the record's
 * lightmap_origin, lightmap_vectors[0] and normal. (So it is in 7907 of shipped maps.) */

/* The flare of a light with _flare or _flareshader; its target, if any, gives the direction. False:
 * it has none. */
bool flare_of_light(const struct entity *light, const struct vec3 *target, int entity,
                    struct assets *assets, struct draw_surface *out);

/* Appends a flare for each planar surface whose shader has q3map_flareShader, in front of its
 * centre. */
void surfaces_add_flares(struct draw_surface **surfaces, struct assets *assets);

#endif
