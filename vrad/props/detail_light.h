/* The light of detail props: style 0 in their records, other styles in lumps of their own. */
#ifndef VRAD_PROPS_DETAIL_LIGHT_H
#define VRAD_PROPS_DETAIL_LIGHT_H

#include "vrad/ambient/irradiance_point.h"
#include "vrad/vrad.h"

/* Lights the map's detail props, if it has any. A prop is lit, by lamps and the sun, as a surface
 * that faces where its top points, and evenly from all sides by what is around it; a sprite in its
 * middle, a model in that of its hull (`middles`: prop_set.h), others at
 * their foot. Light of styles is stored at half, as the game's other tools do: it is on for half of
 * the time.
 *
 * The records say for LDR and for HDR at once which entries of the two light lumps are theirs; so
 * where there is a lump of the other kind it is made again as well: entries keep their colours, and
 * new ones are black. The colour in the record is that of the last call. Game lumps that cannot be
 * read are reported (PROP_LIGHT_LUMP) and stay. */
void detail_light(const struct env *env, const struct irradiance_sampler *sampler,
                  const struct vec3 *middles, enum light_sides sides, struct bsp *bsp);

#endif
