/* The light of a map's props, static and detail, once its surfaces are lit. */
#ifndef VRAD_PROPS_PROP_LIGHT_H
#define VRAD_PROPS_PROP_LIGHT_H

#include "vrad/lights/light.h"
#include "vrad/luxels/luxel.h"
#include "vrad/scene/prop_set.h"
#include "vrad/scene/prop_shadows.h"
#include "vrad/vrad.h"

/* Those that the options ask for, by the lights and the light that `map` holds. Fails with the
 * pakfile. */
NODISCARD enum status prop_light(const struct env *env, const struct scene *scene,
                                 const struct luxel_map *map, const struct prop_set *set,
                                 const struct light_set *lights, const struct vrad_options *options,
                                 enum light_sides sides, struct bsp *bsp);

/* Direct light of the static props alone. */
NODISCARD enum status prop_light_direct(const struct env *env, const struct scene *scene,
                                        const struct prop_set *set, const struct light_set *lights,
                                        const struct vrad_options *options, enum light_sides sides,
                                        struct bsp *bsp);

/* Reports lamps that stand inside a prop which blocks light (LIGHT_IN_PROP). */
void prop_light_check(const struct env *env, const struct scene *scene, const struct prop_set *set,
                      const struct light_set *lights);

#endif
