/* The pages of a light atlas as data of a page. */
#ifndef VIEW_PACK_LIGHT_PAGES_H
#define VIEW_PACK_LIGHT_PAGES_H

#include "scene/shade/light_atlas.h"
#include "view/pack/data.h"

/* Adds the stream "luxels" (red, green, blue, exponent + 24 of 0 .. 31), and head.light: its side
 * and pages. */
void light_atlas_pack(const struct light_atlas *atlas, struct view_data *data);

#endif
