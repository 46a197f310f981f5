/* Models as Quake 3 maps use them: triangles by shader, from MD3, ASE, OBJ or LWO.
 *
 * Whatever the file's conventions, the triangles of a decoded model are clockwise seen from their
 * front, texture coordinates grow downwards, and shader names have no extension and use `/`. */
#ifndef ASSETS_MODELS_MESH_MODEL_H
#define ASSETS_MODELS_MESH_MODEL_H

#include <stdint.h>

#include "common/core/arena.h"
#include "common/core/bytes.h"
#include "common/diag/diag.h"
#include "common/geom/vec.h"

struct assets;

struct mesh_vertex {
    struct vec3 p, normal; /* unit; 0 0 0 when the file has none that can be used */
    double texture[2];
    uint8_t colour[4]; /* white when the file has none */
};

struct mesh_part {
    const char *name, *shader; /* either may be "" */
    struct mesh_vertex *vertices;
    int32_t *indices; /* three per triangle */
    int32_t vertex_count, index_count;
};

/* Corners of triangles with a normal in the file, and those whose normal contradicts the triangles
 * and is not used. */
struct mesh_normal_counts {
    int32_t judged, contradicting;
};

/* Parts of a file that the model lacks (LWO). */
struct mesh_losses {
    int32_t patches;                  /* subdivision patches, of which the model has the cage */
    int32_t others;                   /* curves, metaballs, bones */
    int32_t corners, without_texture; /* corners of polygons; those without texture coordinates */
};

/* All arrays are in the arena. */
struct mesh_model {
    struct mesh_part *parts;
    int32_t part_count;
    int32_t frames; /* frames of an MD3, else 1 */
    struct mesh_normal_counts normals;
    struct mesh_losses losses;
};

/* Decode a model. Each fails with A060. Indices are in range, coordinates are finite. Memory is
 * linear in the size. where may be NULL. A frame out of range counts as 0. (Formats: MD3 and ASE as
 * games have them, checked on hundreds of files; OBJ and LWO by their specifications.) */
NODISCARD enum status md3_decode(const struct bytes *file, int frame,
                                 const struct diag_where *where, struct diag *diag,
                                 struct arena *arena, struct mesh_model *out);
NODISCARD enum status ase_decode(const struct bytes *file, const struct diag_where *where,
                                 struct diag *diag, struct arena *arena, struct mesh_model *out);
NODISCARD enum status obj_decode(const struct bytes *file, const struct diag_where *where,
                                 struct diag *diag, struct arena *arena, struct mesh_model *out);
NODISCARD enum status lwo_decode(const struct bytes *file, const struct diag_where *where,
                                 struct diag *diag, struct arena *arena, struct mesh_model *out);

/* Decodes a model by the ending of its name; fails with A061 for other endings. Notes normals that
 * contradict the triangles, of more than one corner in 20, once per name (A062); and likewise what
 * an LWO has that the model lacks (A064, A065). */
NODISCARD enum status mesh_model_decode(const struct bytes *file, const char *name, int frame,
                                        const struct diag_where *where, struct diag *diag,
                                        struct arena *arena, struct mesh_model *out);

enum mesh_model_found { MESH_MODEL_LOADED, MESH_MODEL_MISSING, MESH_MODEL_BROKEN };

/* Reads a model by its name in an entity ("models/x.md3"). An invalid one is reported, a missing
 * one is not; one of another kind counts as invalid (A061). Shaders without a path are beside the
 * model. */
enum mesh_model_found mesh_model_load(struct assets *assets, const char *name, int frame,
                                      const struct diag_where *where, struct diag *diag,
                                      struct arena *arena, struct mesh_model *out);

/* The same for a model that the engine draws: it takes the names of shaders as they are. */
enum mesh_model_found mesh_model_load_drawn(struct assets *assets, const char *name, int frame,
                                            const struct diag_where *where, struct diag *diag,
                                            struct arena *arena, struct mesh_model *out);

/* Returns a shader name from the text of a model file, without extension and with `/`. In the
 * arena. */
const char *mesh_model_shader(struct arena *arena, const char *text);

/* Returns the names of shaders in an MD3 as the file has them, with repetitions: an stb_ds array of
 * texts in the arena, or NULL when the bytes are not an MD3. For a damaged model, those that lie
 * inside the file. (Layout: a header of 108 bytes, whose surfaces are chained; each has records of
 * a name of 64 bytes and a number.) */
const char **md3_shaders(const struct bytes *model, struct arena *arena);

#endif
