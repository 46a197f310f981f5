/* Decodes VTX files: the triangles of a model at each level of detail.
 *
 * Records are 25 and 27 bytes, or 33 and 35 in newer files, which the file does not indicate: the
 * form that the MDL's version suggests is tried first, then the other. (Format: the pages on models
 * of the developer wiki, checked on 259 files.) */
#ifndef ASSETS_MODELS_VTX_H
#define ASSETS_MODELS_VTX_H

#include "common/assets/models/mdl.h"

struct model_triangle {
    int32_t mesh;        /* in the MDL's meshes */
    int32_t vertices[3]; /* in the VVD's array; clockwise seen from outside */
};

struct vtx {
    uint32_t checksum; /* of its MDL */
    int32_t lods;
    struct model_triangle *triangles; /* stb_ds array: of one LOD, of all models of all parts */
    float switch_point;      /* from which that LOD is drawn, the largest of all models; below 0: it
                                only casts shadows. 0 past the last */
    bool replaces_materials; /* it shows others than LOD 0 */
};

/* Decodes LOD `lod`; past the last there are no triangles. Fails with MODEL_BROKEN, and *out empty,
 * when it does not match the MDL: other parts, models or meshes, or vertices that a mesh does not
 * have. where may be NULL. Memory and work are linear in the size. Free with vtx_free. */
NODISCARD enum status vtx_decode(const struct bytes *file, const struct mdl *mdl, int32_t lod,
                                 const struct diag_where *where, struct diag *diag,
                                 struct vtx *out);
void vtx_free(struct vtx *vtx);

#endif
