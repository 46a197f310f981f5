/* Models as Quake 3 maps use them: triangles by shader, from MD3, ASE or OBJ.
 *
 * Whatever the file's habits, a decoded model's triangles are clockwise seen from their front, its
 * texture coordinates grow downwards, its shaders have no extension and `/` in their names. */
#ifndef ASSETS_MODELS_MESH_MODEL_H
#define ASSETS_MODELS_MESH_MODEL_H

#include <stdint.h>

#include "common/core/arena.h"
#include "common/core/bytes.h"
#include "common/diag/diag.h"
#include "common/geom/vec.h"

struct assets;

struct mesh_vertex {
    struct vec3 p, normal; /* unit; 0 0 0: the file has none */
    double texture[2];
    uint8_t colour[4]; /* white when the file has none */
};

struct mesh_part {
    const char *name, *shader; /* either may be "" */
    struct mesh_vertex *vertices;
    int32_t *indices; /* three a triangle */
    int32_t vertex_count, index_count;
};

/* All in the arena. */
struct mesh_model {
    struct mesh_part *parts;
    int32_t part_count;
    int32_t frames; /* of an MD3; else 1 */
};

/* Each fails with A060. Indices hold, coordinates are finite. Memory is linear in the size.
 * where may be NULL. A frame out of range counts as 0. (Formats: MD3 and ASE as games have them,
 * checked on hundreds of files; OBJ by its specification.) */
NODISCARD enum status md3_decode(const struct bytes *file, int frame,
                                 const struct diag_where *where, struct diag *diag,
                                 struct arena *arena, struct mesh_model *out);
NODISCARD enum status ase_decode(const struct bytes *file, const struct diag_where *where,
                                 struct diag *diag, struct arena *arena, struct mesh_model *out);
NODISCARD enum status obj_decode(const struct bytes *file, const struct diag_where *where,
                                 struct diag *diag, struct arena *arena, struct mesh_model *out);

enum mesh_model_found { MESH_MODEL_LOADED, MESH_MODEL_MISSING, MESH_MODEL_BROKEN };

/* Reads a model by its name, as an entity has it ("models/x.md3"). A broken one was reported, a
 * missing one was not; one of another kind counts as broken (A061). */
enum mesh_model_found mesh_model_load(struct assets *assets, const char *name, int frame,
                                      const struct diag_where *where, struct diag *diag,
                                      struct arena *arena, struct mesh_model *out);

/* A shader's name out of what a file has: no extension, `/`. In the arena. */
const char *mesh_model_shader(struct arena *arena, const char *text);

/* The shaders that an MD3 names, as they are spelt, one each time that they are named: an stb_ds
 * array of texts in the arena; NULL for what is no MD3. Of a damaged model those that lie in the
 * file. (Layout: 108 bytes of header, whose surfaces are chained; each has records of a name of 64
 * bytes and a number.) */
const char **md3_shaders(const struct bytes *model, struct arena *arena);

#endif
