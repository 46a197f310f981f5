/* Decodes MDL files: the parts, meshes, materials, skins and flags of a model. The vertices are in
 * the VVD, the triangles in the VTX, the collision model in the PHY of the same name.
 *
 * Versions 44 to 49, which share the layout of everything that is read here. (Format: the pages on
 * models of the developer wiki; every rule was checked on 287 files.) */
#ifndef ASSETS_MODELS_MDL_H
#define ASSETS_MODELS_MDL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/core/arena.h"
#include "common/core/bytes.h"
#include "common/diag/diag.h"
#include "common/geom/vec.h"

enum mdl_flag {
    MDL_FORCE_OPAQUE = 0x4,
    MDL_TRANSLUCENT_TWO_PASS = 0x8,
    MDL_STATIC_PROP = 0x10, /* made with $staticprop */
    MDL_NO_SHADOWS = 0x20000,
    MDL_TEXTURE_SHADOWS = 0x40000,
};

enum { MODEL_LODS = 8 };

struct mdl_mesh {
    int32_t material;                 /* column of the skin table */
    int32_t first_vertex;             /* in the VVD's array of LOD 0 */
    int32_t vertex_count[MODEL_LODS]; /* by LOD; those of a coarser LOD are a subset of those of LOD
                                         0 */
};

struct mdl_model {
    int32_t first_mesh, mesh_count; /* in meshes */
    int32_t first_vertex, vertex_count;
};

/* A static prop shows the first model of each part. */
struct mdl_part {
    int32_t first_model, model_count; /* in models */
};

/* All arrays are in the arena. */
struct mdl {
    int32_t version;
    uint32_t checksum; /* also in the VVD and the VTX */
    int32_t flags;     /* enum mdl_flag */
    int32_t bone_count;
    struct vec3 illumination;
    struct bounds hull, view;   /* view is usually all zero */
    const char *surface_prop;   /* "" when there is none */
    const char **textures;      /* names without folder and .vmt */
    const char **texture_paths; /* folders to look in, in order; "" or with a final slash */
    int32_t texture_count, texture_path_count;
    int32_t skin_columns, skin_families;
    const int32_t *skins; /* [family][column]: index in textures */
    struct mdl_part *parts;
    struct mdl_model *models;
    struct mdl_mesh *meshes;
    int32_t part_count, model_count, mesh_count;
};

/* Decodes a file. All indices of the result are in range, except first_vertex and the vertex
 * counts, which can only be checked against the VVD. Fails with MODEL_BROKEN. where may be NULL.
 * Memory is linear in the size. */
NODISCARD enum status mdl_decode(const struct bytes *file, const struct diag_where *where,
                                 struct diag *diag, struct arena *arena, struct mdl *out);

/* Returns the index of the texture that a column shows with a skin, or -1. A skin out of range
 * counts as 0. */
int32_t mdl_texture(const struct mdl *mdl, int32_t skin, int32_t column);

#endif
