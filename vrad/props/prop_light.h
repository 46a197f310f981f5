/* Lighting of a map's props, static and detail, after its surfaces. */
#ifndef VRAD_PROPS_PROP_LIGHT_H
#define VRAD_PROPS_PROP_LIGHT_H

#include "vrad/luxels/luxel.h"
#include "vrad/scene/prop_set.h"
#include "vrad/scene/prop_shadows.h"
#include "vrad/vrad.h"

struct light_set;

/* Lights the props selected by the options, from the lights and the light in `map`. Props reflect
 * light after at most `prop_bounces` bounces. Fails with the pakfile. */
NODISCARD enum status prop_light(const struct env *env, const struct scene *scene,
                                 const struct luxel_map *map, const struct prop_set *set,
                                 const struct light_set *lights, const struct vrad_options *options,
                                 int prop_bounces, enum light_sides sides, struct bsp *bsp);

/* Direct light of the static props only. */
NODISCARD enum status prop_light_direct(const struct env *env, const struct scene *scene,
                                        const struct prop_set *set, const struct light_set *lights,
                                        const struct vrad_options *options, enum light_sides sides,
                                        struct bsp *bsp);

/* Removes the files of lighting that a run without lighting of static props makes out of date, and
 * their flags. A pakfile that cannot be read stays as it is: the run does not depend on it. */
NODISCARD enum status prop_light_drop(const struct env *env, const struct vrad_options *options,
                                      enum light_sides sides, struct bsp *bsp);

/* Reports local lights inside a shadow-casting prop (LIGHT_IN_PROP). */
void prop_light_check(const struct env *env, const struct scene *scene, const struct prop_set *set,
                      const struct light_set *lights);

#endif
