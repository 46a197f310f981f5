/* Light of static props in the pakfile, as vrad writes it: vertex light in sp_N.vhv, or
 * sp_hdr_N.vhv for HDR, texel light in texelslighting_N.ppl. */
#ifndef SCENE_MESH_PACKED_LIGHT_H
#define SCENE_MESH_PACKED_LIGHT_H

#include "common/assets/models/model.h"
#include "scene/mesh/mesh.h"

/* Returns the light of each vertex of the model's VVD, 255 being white, from memory_alloc; NULL
 * for files of another model and damaged files. */
float (*packed_light_vertices(const struct bytes *file, const struct model *model))[3];

/* Appends the light of the finest LOD to the mesh's luxels and lights the surface with it.
 * Returns false and changes nothing when the file is damaged or belongs to another model, or
 * there is too much light. */
bool packed_light_texels(const struct bytes *file, const struct model *model, struct mesh *mesh,
                         struct surface *surface);

/* Converts the texture coordinates of a triangle to luxels of the surface, in the repetition of
 * the image that the first corner is in. */
void packed_light_st(const float uv[3][2], const struct surface *surface, float st[3][2]);

#endif
