/* A model as a compiler needs it: the MDL with what goes with it. */
#ifndef ASSETS_MODELS_MODEL_H
#define ASSETS_MODELS_MODEL_H

#include "common/assets/assets.h"
#include "common/assets/models/phy.h"
#include "common/assets/models/vtx.h"
#include "common/assets/models/vvd.h"

struct model {
    struct mdl mdl;
    struct vvd vvd;               /* empty when there is no sound one: models that only move */
    struct vtx vtx;               /* LOD 0; each vertex is one of vvd's */
    struct hull_points collision; /* of the first solid; empty without a sound PHY */
};

/* Reads NAME.mdl, .vvd, .vtx (.dx90.vtx and so on, as they are found) and .phy from the assets.
 * `name` is as an entity has it: "models/x.mdl". False when there is no sound MDL; that is reported
 * when the file is there, but not when it is missing. Other files that are broken or have another
 * checksum are reported and count as missing (a PHY of another checksum is used: there are sound
 * ones). Texts and vertices are in the arena; free the rest with model_free. */
bool model_load(struct assets *assets, const char *name, struct arena *arena, struct diag *diag,
                struct model *out);
void model_free(struct model *model);

/* Whether a triangle is of a model that a static prop shows: the first of each part. */
bool model_shows_mesh(const struct mdl *mdl, int32_t mesh);

#endif
