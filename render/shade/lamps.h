/* Light that reaches a model from the lamps and the sun of the map, as the engine adds it to the
 * light of the air for models that have no light of their own. */
#ifndef RENDER_SHADE_LAMPS_H
#define RENDER_SHADE_LAMPS_H

#include "common/bsp/bsp.h"
#include "common/trace/trace.h"
#include "vrad/lights/light.h"

/* Those that burn (style 0) and are not in the light of the air already: an stb_ds array. */
struct light *lamps_of(const struct bsp_light_set *light);

/* Whether a way is free: what blocks it is for the asker to know. */
typedef bool lamps_is_free(const void *context, const struct trace_ray *ray);

/* Adds what falls on a surface at the point, turned so (a unit vector); 255 is white. */
void lamps_add(const struct light *lamps, struct vec3 point, struct vec3 normal,
               lamps_is_free *is_free, const void *context, float light[3]);

#endif
