/* The sky of a page: its colours, and for Quake 3 an image of what its shader draws. */
#ifndef VIEW_PACK_SKY_H
#define VIEW_PACK_SKY_H

#include "scene/scene.h"
#include "view/pack/data.h"
#include "view/view.h"

/* Adds head.sky, and its image. */
void view_sky_pack(const struct map_scene *scene, const struct view_options *options,
                   struct view_data *data);

#endif
