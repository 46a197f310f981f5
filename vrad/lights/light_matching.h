/* The lights of LDR and HDR side by side. */
#ifndef VRAD_LIGHTS_LIGHT_MATCHING_H
#define VRAD_LIGHTS_LIGHT_MATCHING_H

#include "common/bsp/bsp.h"
#include "vrad/lights/light.h"

/* Whether two sets are the same in all that makes light. */
bool light_sets_equal(const struct light_set *a, const struct light_set *b);

/* Numbers the lights of both sets (light.twin): a light of `b` has the number of the light of `a`
 * that stands in its place and shines its way, in whatever colour; those without one have numbers
 * of their own. */
void light_sets_match(struct light_set *a, struct light_set *b);

/* Makes the HDR light of a map, its lightmaps, worldlights and ambient cubes, a copy of its LDR
 * light. */
void light_copy_to_hdr(struct bsp *bsp);

#endif
