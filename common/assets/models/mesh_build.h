/* Internal to the readers of mesh models: collects triangles by shader and merges equal corners
 * into one vertex. */
#ifndef ASSETS_MODELS_MESH_BUILD_H
#define ASSETS_MODELS_MESH_BUILD_H

#include "common/assets/models/mesh_normals.h"

struct mesh_builder {
    struct mesh_builder_part *parts; /* stb_ds array */
    struct mesh_normal_counts normals;
};

/* Zero-initialise. Settles the normals of an object (mesh_normals.h) and adds its triangles. The
 * texts of shaders must outlive the builder. */
void mesh_builder_add(struct mesh_builder *builder, struct mesh_triangle *triangles, size_t count);
/* Returns the parts in order of their first triangle, in the arena; the builder is empty
 * afterwards. */
void mesh_builder_finish(struct mesh_builder *builder, struct arena *arena, struct mesh_model *out);

/* Returns a shader name from the text of a model file, without extension and with `/`. In the
 * arena. */
const char *mesh_shader_name(struct arena *arena, const char *text, size_t length);

/* Reports an invalid model (A060) with this description, and fails. */
enum status mesh_invalid(struct diag *diag, const struct diag_where *where, const char *what);

#endif
