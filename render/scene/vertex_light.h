/* The light of a static prop's vertices, which vrad packs into the map: sp_N.vhv, or sp_hdr_N.vhv
 * for HDR light. */
#ifndef RENDER_SCENE_VERTEX_LIGHT_H
#define RENDER_SCENE_VERTEX_LIGHT_H

#include "common/assets/models/model.h"

/* Reads the light of each vertex of the model's VVD, 255 being white; NULL, as are files of another
 * model and damaged ones, when there is none. From memory_alloc. */
float (*vertex_light_read(const struct bytes *file, const struct model *model))[3];

#endif
