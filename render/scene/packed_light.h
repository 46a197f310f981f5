/* The light of static props that vrad packs into the map: of their vertices sp_N.vhv, or
 * sp_hdr_N.vhv for HDR light, of their texels texelslighting_N.ppl. */
#ifndef RENDER_SCENE_PACKED_LIGHT_H
#define RENDER_SCENE_PACKED_LIGHT_H

#include "common/assets/models/model.h"
#include "render/scene/mesh.h"

/* Reads the light of each vertex of the model's VVD, 255 being white; NULL, as are files of another
 * model and damaged ones, when there is none. From memory_alloc. */
float (*packed_light_vertices(const struct bytes *file, const struct model *model))[3];

/* Appends the light of the finest LOD to the mesh's luxels and makes the surface lit by it. False,
 * and all as it was, when the file is damaged or of another model, or there is too much light. */
bool packed_light_texels(const struct bytes *file, const struct model *model, struct mesh *mesh,
                         struct surface *surface);

/* Where the corners lie among the luxels of the surface; in the image that the first one lies in
 * when they lie in several. */
void packed_light_place(const float uv[3][2], const struct surface *surface, float st[3][2]);

#endif
