/* Static props that reflect light (-StaticPropBounce): what the luxels of their charts receive. */
#ifndef VRAD_PROPS_PROP_BOUNCE_H
#define VRAD_PROPS_PROP_BOUNCE_H

#include "common/env.h"
#include "vrad/luxels/luxel.h"

struct light_set;

/* Makes map->props, without light, and traces its rays; nothing for a scene without charts.
 * `bounces`: see struct prop_radiosity. */
void prop_bounce_trace(const struct env *env, const struct scene *scene, int bounces,
                       struct luxel_map *map);

/* Takes the lights of a set: from here on map->props reflects their direct light and the sky's. */
void prop_bounce_light(const struct env *env, const struct scene *scene,
                       const struct light_set *lights, struct luxel_map *map);

/* Lets the props bounce the light of the map, which is final. */
void prop_bounce_settle(const struct env *env, const struct scene *scene,
                        const struct light_set *lights, struct luxel_map *map);

#endif
