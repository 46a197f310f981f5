/* Writes a model as $staticprop makes it: an MDL, its VVD and VTX, and its PHY. The readers are
 * mdl.h, vvd.h, vtx.h and phy.h.
 *
 * All else of the MDL, its one bone and a sequence of one frame, is that
 * of another static model, whose bytes are kept. (Format: the pages on models of the developer
 * wiki; values that they do not name are those of real static models.) */
#ifndef ASSETS_MODELS_STATIC_MODEL_H
#define ASSETS_MODELS_STATIC_MODEL_H

#include "common/assets/models/vvd.h"
#include "common/geom/vec.h"

/* Vertices of a mesh of this model. */
struct static_triangle {
    uint16_t vertices[3]; /* clockwise seen from outside */
};

struct static_mesh {
    int32_t material;                   /* in materials; each mesh has its own */
    int32_t first_vertex, vertex_count; /* in vertices and tangents, without gaps, in order */
};

/* A level of detail. All of them share the vertices. */
struct static_lod {
    float switch_point;                /* as in struct vtx; 0 of the first */
    struct static_triangle *triangles; /* stb_ds array: of the first mesh, of the second, ... */
    size_t *ends;                      /* stb_ds array: one per mesh, in triangles */
};

/* Zero-initialise; free with static_model_free. */
struct static_model {
    const char *name;               /* below models/; what is longer than 63 bytes is cut */
    struct vec3 illumination;       /* where the model takes its light */
    struct bounds hull;             /* of the vertices and the collision model */
    const char **materials;         /* stb_ds array: names below materials/, without .vmt */
    struct static_mesh *meshes;     /* stb_ds array */
    struct model_vertex *vertices;  /* stb_ds array */
    struct model_tangent *tangents; /* stb_ds array: one per vertex */
    struct static_lod *lods;        /* stb_ds array, at least one, at most MODEL_LODS */
};

/* A checksum of the contents, for the four files. */
uint32_t static_model_checksum(const struct static_model *model);

/* Append the files. `like` is the MDL that the rest is taken from, which mdl_decode has read; its
 * version is that of the new one. The VTX must be for that version. */
void static_model_mdl(const struct static_model *model, uint32_t checksum, const struct bytes *like,
                      struct bytes *out);
void static_model_vvd(const struct static_model *model, uint32_t checksum, struct bytes *out);
void static_model_vtx(const struct static_model *model, uint32_t checksum, int32_t mdl_version,
                      struct bytes *out);

/* The keys of the only solid of a PHY. */
struct static_phy {
    const char *name, *surface_prop;
    double volume; /* cubic units */
};

/* Appends a PHY of one solid: what physics_solid_encode has written. */
void static_model_phy(const struct static_phy *phy, uint32_t checksum, const struct bytes *solid,
                      struct bytes *out);

void static_model_free(struct static_model *model);

#endif
