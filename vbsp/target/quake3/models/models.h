/* Models (MD3, ASE, OBJ, LWO) that become part of the map: misc_model, and shaders'
 * q3map_surfaceModel and q3map_foliage. */
#ifndef VBSP_QUAKE3_MODELS_MODELS_H
#define VBSP_QUAKE3_MODELS_MODELS_H

#include "common/assets/assets.h"
#include "common/assets/models/mesh_model.h"
#include "common/geom/plane.h"
#include "common/geom/transform.h"
#include "common/text/entities.h"
#include "vbsp/target/quake3/entities/state.h"
#include "vbsp/target/quake3/surfaces/surface.h"

enum misc_model_flag {
    MISC_MODEL_CLIP = 2, /* make clip brushes of its triangles */
    MISC_MODEL_META = 4, /* lightmapped */
    MISC_MODEL_CLIP_ALONG =
        8, /* extruded against the face's normal (16: along z; default: along its main axis) */
    MISC_MODEL_CLIP_UP = 16,
    MISC_MODEL_COLOUR_TO_ALPHA = 32,
    MISC_MODEL_NO_SMOOTHING = 64,
};

/* A convex body bounded by outward planes, which becomes a brush. */
struct clip_body {
    struct plane *planes;        /* stb_ds array; the first is the model's triangle */
    const struct shader *shader; /* of the first plane; the others are not drawn */
    int entity;
    struct diag_where where;
};

struct placed_models {
    struct draw_surface *surfaces; /* stb_ds array: SURFACE_MESH, within the engine's limits */
    struct clip_body *bodies;      /* stb_ds array */
};

/* Location and owner of a model. */
struct model_owner {
    int entity, model;
    struct vec3 origin; /* of the owner's model, subtracted */
    struct surface_keys keys;
    double clip_depth; /* unless _clipdepth sets it; 0: MODEL_CLIP_DEPTH */
    struct diag_where where;
};

/* Appends the surfaces and clip bodies of a misc_model: keys model, _frame, origin, angle, angles,
 * modelscale, modelscale_vec, _remap* ("from;to", from "*": all), skin or _skin, _shader,
 * _clipdepth, spawnflags. A missing or invalid model is reported (V435, A060) and adds nothing. */
void model_place_entity(const struct entity *entity, const struct model_owner *owner,
                        struct assets *assets, struct diag *diag, struct placed_models *out);

/* The same for a model that is already loaded, at the transform; without keys. */
void model_place_at(const struct mesh_model *model, const char *name,
                    const struct transform *transform, const struct model_owner *owner,
                    struct assets *assets, struct diag *diag, struct placed_models *out);

void clip_bodies_free(struct clip_body *bodies);

/* --- model_scatter.c: models scattered over surfaces --- */

/* SCATTER_MODELS: q3map_surfaceModel; SCATTER_FOLIAGE: q3map_foliage. */
enum scatter_kind { SCATTER_MODELS, SCATTER_FOLIAGE };

/* Appends the models of all surfaces (polygons and triangles) whose shader names some, with "MODEL
 * DENSITY ODDS MINSCALE MAXSCALE MINANGLE MAXANGLE ORIENTED": one in each square of DENSITY units
 * with probability ODDS, rotated by a random angle in degrees, its z along the surface normal if
 * ORIENTED is not 0. Defaults are 64, 1, 1, 1, 0, 360 and 0. Foliage has "MODEL SCALE DENSITY ODDS
 * INVERTALPHA", with the defaults 1, 64, 1 and 0: its odds are multiplied by the alpha of the
 * surface at the place, or by 1 less the alpha if INVERTALPHA is not 0. Randomness depends only on
 * positions. Models belong to the entity and model of their surface. Reports missing models (V435),
 * each once, and invalid numbers (V439). */
void models_scatter(enum scatter_kind kind, const struct draw_surface *surfaces, size_t count,
                    struct assets *assets, struct diag *diag, struct placed_models *out);

/* --- misc_models.c: objects placed by entities: models, patches, decals and flares --- */

/* A patch of an entity as a surface, less `origin`; false if it is invalid. */
bool quake3_patch(struct compile *compile, int owner, const struct map_patch *patch,
                  struct vec3 origin, struct draw_surface *out);
/* Reads models and decals. Brushes of models are added to those of the world. */
void quake3_load_placed(struct compile *compile, struct map_brush ***made);
void quake3_add_flares(struct compile *compile, struct draw_surface **out);
void quake3_placed_free(struct quake3 *quake3);

#endif
