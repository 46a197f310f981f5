/* Inside the readers of mesh models: triangles gathered by shader, corners that are the same made
 * one vertex. */
#ifndef ASSETS_MODELS_MESH_BUILD_H
#define ASSETS_MODELS_MESH_BUILD_H

#include "common/assets/models/mesh_model.h"

struct mesh_builder {
    struct mesh_builder_part *parts; /* stb_ds array */
};

/* Zero-initialise. The shader's text must last until the end. */
void mesh_builder_add(struct mesh_builder *builder, const char *shader,
                      const struct mesh_vertex corners[3]);
/* The parts in order of their first triangle, in the arena; the builder is empty again. */
void mesh_builder_finish(struct mesh_builder *builder, struct arena *arena, struct mesh_model *out);

/* A shader's name out of what a model's file has: no extension, `/`. In the arena. */
const char *mesh_shader_name(struct arena *arena, const char *text, size_t length);

/* Fails with A060, that says what is wrong. */
enum status mesh_broken(struct diag *diag, const struct diag_where *where, const char *what);

#endif
