/* Decodes VVD files: the vertices of a model.
 *
 * The result is the array of LOD 0, which the indices of MDL and VTX refer to: the stored vertices
 * or, when the file has fixups, the vertices arranged by them. (Format: the pages on models of the
 * developer wiki, checked on 280 files.) */
#ifndef ASSETS_MODELS_VVD_H
#define ASSETS_MODELS_VVD_H

#include <stdint.h>

#include "common/core/arena.h"
#include "common/core/bytes.h"
#include "common/diag/diag.h"

struct model_vertex {
    float p[3]; /* in the model's own axes, unchanged */
    float normal[3];
    float uv[2]; /* v grows downwards */
};

/* The direction of u, and in p[3] the sign of that of v. */
struct model_tangent {
    float p[4];
};

struct vvd {
    uint32_t checksum; /* of its MDL */
    int32_t lods;
    struct model_vertex *vertices;  /* in the arena */
    struct model_tangent *tangents; /* in the arena, one per vertex; NULL: the file has none */
    /* One per vertex, in the arena: the coarsest LOD that has it. The array of a LOD consists of
     * the vertices that reach it, in this order. */
    uint8_t *coarsest;
    int32_t count;
};

/* Decodes a file. Positions are finite; normals and uv may be anything. Fails with MODEL_BROKEN.
 * where may be NULL. */
NODISCARD enum status vvd_decode(const struct bytes *file, const struct diag_where *where,
                                 struct diag *diag, struct arena *arena, struct vvd *out);

#endif
