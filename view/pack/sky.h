/* The sky of a page: its colours, and for Quake 3 an image of what its shader draws. */
#ifndef VIEW_PACK_SKY_H
#define VIEW_PACK_SKY_H

#include "scene/scene.h"
#include "view/pack/data.h"
#include "view/view.h"

/* Fog: by distance, of Source, and in volumes, of Quake 3. */

/* Adds head.fog and head.skyboxFog, of an env_fog_controller and of the sky_camera ("colour",
 * "start", "end", "density"; null: none), and head.fogVolumes: rows of three numbers each of
 * colour, least and greatest corner, and the distance at which they hide all. */
void view_fog_pack(const struct map_scene *scene, struct view_data *data);

/* Adds head.sky, and its image. */
void view_sky_pack(const struct map_scene *scene, const struct view_options *options,
                   struct view_data *data);

#endif
