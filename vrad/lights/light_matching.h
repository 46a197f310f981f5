/* LDR/HDR light matching. */
#ifndef VRAD_LIGHTS_LIGHT_MATCHING_H
#define VRAD_LIGHTS_LIGHT_MATCHING_H

#include "common/bsp/bsp.h"

struct light_set;

/* Returns true if two sets give the same lighting. */
bool light_sets_equal(const struct light_set *a, const struct light_set *b);

/* Numbers the lights of both sets (light.match_id): a light of `b` gets the number of the light of
 * `a` with the same position and direction, whatever its colour; lights without a match get numbers
 * of their own. */
void light_sets_match(struct light_set *a, struct light_set *b);

/* Copies the LDR lighting of a map, its lightmaps, worldlights and ambient cubes, to HDR. */
void light_copy_to_hdr(struct bsp *bsp);

#endif
