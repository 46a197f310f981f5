/* Lighting of detail props: style 0 in their records, other styles in lumps of their own. */
#ifndef VRAD_PROPS_DETAIL_LIGHT_H
#define VRAD_PROPS_DETAIL_LIGHT_H

#include "vrad/ambient/irradiance_point.h"
#include "vrad/vrad.h"

/* Lights the map's detail props, if any. Local lights and suns light a prop as a surface that faces
 * its up direction, indirect light from all directions alike; a sprite is lit in its middle, a
 * model in the middle of its hull (`middles`: prop_set.h), others at their origin. Light of styles
 * is stored at half, as in the game's other tools: it is on for half of the time.
 *
 * The records refer to the entries of both light lumps, LDR and HDR, at once; so where there is a
 * lump of the other set it is written again as well: entries keep their colours, and new ones are
 * black. The colour in the record is that of the last call. Unreadable game lumps are reported
 * (PROP_LIGHT_LUMP) and kept. */
void detail_light(const struct env *env, const struct irradiance_sampler *sampler,
                  const struct vec3 *middles, enum light_sides sides, struct bsp *bsp);

#endif
