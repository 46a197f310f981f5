/* Ambient cubes of the leaves, which light moving objects. */
#ifndef VRAD_AMBIENT_AMBIENT_H
#define VRAD_AMBIENT_AMBIENT_H

#include "vrad/luxels/luxel.h"

struct light_set;

struct ambient_options {
    bool fast; /* one sample per leaf */
    int rays;  /* per sample: a power of two, at most 1024; 0: 128 */
};

/* Fills ambient_index (one per leaf) and ambient of *out, whose old arrays are freed.
 *
 * A leaf has up to 16 samples at points outside of solids, by its volume; samples that can be
 * predicted from the others are left out. A side of a cube is the irradiance of a white surface
 * that faces that way: from the map's surfaces (style 0, direct and bounced, as in `map`), from the
 * sky and from the weak surface lights (LIGHT_IN_AMBIENT_CUBE), on the scale of 1. Solid leaves,
 * and those without a free point, refer to the first leaf with samples whose box touches theirs, or
 * else to themselves. If the map exceeds the file's limit of 65535 samples, the leaves with the
 * most samples lose their last ones. */
void ambient_light(const struct env *env, const struct scene *scene, const struct luxel_map *map,
                   const struct light_set *lights, const struct ambient_options *options,
                   struct bsp_light_set *out);

#endif
