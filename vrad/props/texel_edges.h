/* Edges of shadows on texels: those get more samples. */
#ifndef VRAD_PROPS_TEXEL_EDGES_H
#define VRAD_PROPS_TEXEL_EDGES_H

#include "vrad/props/texel_light.h"

/* Direct light of lit texels that differs to the eye from that of a neighbour on the same surface
 * becomes the mean of 3 x 3 points. */
void texel_edges(const struct texel_lighting *lighting);

#endif
