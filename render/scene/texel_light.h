/* The light of a static prop's texels, which vrad packs into the map: texelslighting_N.ppl. */
#ifndef RENDER_SCENE_TEXEL_LIGHT_H
#define RENDER_SCENE_TEXEL_LIGHT_H

#include "common/assets/models/model.h"
#include "render/scene/mesh.h"

/* Appends the light of the finest LOD to the mesh's luxels and makes the surface lit by it. False,
 * and all as it was, when the file is damaged or of another model, or there is too much light. */
bool texel_light_read(const struct bytes *file, const struct model *model, struct mesh *mesh,
                      struct surface *surface);

/* Where the corners lie among the luxels of the surface; in the image that the first one lies in
 * when they lie in several. */
void texel_light_place(const float uv[3][2], const struct surface *surface, float st[3][2]);

#endif
