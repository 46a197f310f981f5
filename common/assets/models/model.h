/* Reads a model with all its files as a compiler needs it. */
#ifndef ASSETS_MODELS_MODEL_H
#define ASSETS_MODELS_MODEL_H

#include "common/assets/assets.h"
#include "common/assets/models/phy.h"
#include "common/assets/models/vtx.h"
#include "common/assets/models/vvd.h"

struct model {
    struct mdl mdl;
    struct vvd vvd;               /* empty when missing or invalid: models that only move */
    struct vtx vtx;               /* LOD 0; its vertices are in range of vvd's */
    struct hull_points collision; /* of the first solid; empty without a valid PHY */
};

/* Reads NAME.mdl, .vvd, .vtx (.dx90.vtx and so on, whichever exists) and .phy from the assets.
 * `name` is as in an entity: "models/x.mdl". Returns false without a valid MDL, which is reported
 * when the file exists. Other files that are invalid or have another checksum are reported and
 * count as missing (but a PHY with another checksum is used: many valid ones have one). Texts and
 * vertices are in the arena; free the rest with model_free. */
bool model_load(struct assets *assets, const char *name, struct arena *arena, struct diag *diag,
                struct model *out);
void model_free(struct model *model);

/* Reads another LOD of a model that model_load has read. Returns false, and *out empty, when its
 * triangles are none or are not in range of the vertices. Free with vtx_free. */
bool model_load_lod(struct assets *assets, const char *name, const struct model *model, int32_t lod,
                    struct diag *diag, struct vtx *out);

/* Returns true when the mesh belongs to a model that a static prop shows: the first of each
 * part. */
bool model_shows_mesh(const struct mdl *mdl, int32_t mesh);

#endif
