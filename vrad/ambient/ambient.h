/* The light in the air: ambient cubes of the leaves, which light what moves through them. */
#ifndef VRAD_AMBIENT_AMBIENT_H
#define VRAD_AMBIENT_AMBIENT_H

#include "vrad/lights/light.h"
#include "vrad/luxels/luxel.h"

struct ambient_options {
    bool fast; /* one sample a leaf */
    const struct bounds
        *region; /* leaves outside of it keep what *out holds for them; NULL: none */
    int rays;    /* of a sample: a power of two, at most 1024; 0: 128 */
};

/* Fills ambient_index (one a leaf) and ambient of *out, which are freed before.
 *
 * A leaf has up to 16 samples at points that are not in solid, by its volume; those that their
 * neighbours foretell are left out. A side of a cube is what a white surface that faces that way
 * would receive from the map's surfaces (style 0, direct and bounced, as `map` holds them), from
 * the sky and from the weak surface lights (LIGHT_IN_AMBIENT_CUBE), on the scale of 1. Solid
 * leaves, and those without a free point, name the first leaf with samples whose box touches
 * theirs, or else themselves. Should the file's limit of 65535 samples be passed, the leaves with
 * the most samples lose their last ones. */
void ambient_light(const struct env *env, const struct scene *scene, const struct luxel_map *map,
                   const struct light_set *lights, const struct ambient_options *options,
                   struct bsp_light_set *out);

#endif
