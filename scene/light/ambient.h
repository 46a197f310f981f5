/* The light on what has none of its own: the ambient cubes of a map's leaves, and direct light. */
#ifndef SCENE_LIGHT_AMBIENT_H
#define SCENE_LIGHT_AMBIENT_H

#include "common/bsp/bsp.h"
#include "common/geom/vec.h"
#include "common/trace/trace.h"

/* Light from +x -x +y -y +z -z; 255 is white. */
struct scene_ambient {
    float cube[6][3];
};

/* Finds the mean of the samples of the leaf at the point, weighted by distance. Returns false
 * when it has none. */
bool scene_ambient_at(const struct bsp *bsp, const struct bsp_light_set *light, struct vec3 point,
                      struct scene_ambient *out);

/* Evaluates the cube for a surface normal (a unit vector). */
void scene_ambient_light(const struct scene_ambient *ambient, struct vec3 normal, float out[3]);

/* --- direct light on props without baked light: the map's worldlights, added to the ambient light
 * as the engine does --- */

struct bsp_worldlight;
struct light;

/* Returns the light of a record. */
struct light scene_light_of(const struct bsp_worldlight *from);

/* Returns the lights that are on (style 0) and not part of the ambient cubes: an stb_ds array. */
struct light *scene_lights(const struct bsp_light_set *light);

/* Returns whether a shadow ray is unoccluded. The caller decides what occludes. */
typedef bool scene_is_unoccluded(const void *context, const struct trace_ray *ray);

/* Adds the light on a surface with this unit normal; 255 is white. */
void scene_lights_add(const struct light *lights, struct vec3 point, struct vec3 normal,
                      scene_is_unoccluded *is_unoccluded, const void *context, float light[3]);

/* Computes the light of one. Returns false when it is none, or too little to be seen. */
bool scene_light_on(const struct light *light, struct vec3 point, struct vec3 normal,
                    scene_is_unoccluded *is_unoccluded, const void *context, struct vec3 *colour);

#endif
