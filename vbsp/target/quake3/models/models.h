/* Models (MD3, ASE, OBJ) that become part of the map: misc_model, and shaders' q3map_surfaceModel.
 */
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
    MISC_MODEL_CLIP = 2, /* clip brushes of its triangles */
    MISC_MODEL_META = 4, /* lightmapped */
    MISC_MODEL_CLIP_ALONG =
        8, /* extruded against the face's normal (16: along z; default: along its main axis) */
    MISC_MODEL_CLIP_UP = 16,
    MISC_MODEL_COLOUR_TO_ALPHA = 32,
    MISC_MODEL_NO_SMOOTHING = 64,
};

/* A convex body, as planes that point out of it: a brush to be. */
struct clip_body {
    struct plane *planes;        /* stb_ds array; the first is the model's triangle */
    const struct shader *shader; /* of the first plane; the others get none that is drawn */
    int entity;
    struct diag_where where;
};

struct placed_models {
    struct draw_surface *surfaces; /* stb_ds array: SURFACE_MESH, within the engine's limits */
    struct clip_body *bodies;      /* stb_ds array */
};

/* Where the map has it, and as whose. */
struct model_owner {
    int entity, model;
    struct vec3 origin; /* of the model's space, taken off */
    struct surface_keys keys;
    struct diag_where where;
};

/* Appends what a misc_model shows and what collides with it: keys model, _frame, origin, angle,
 * angles, modelscale, modelscale_vec, _remap* ("from;to", from "*": all), skin, _shader,
 * _clipdepth, spawnflags. A model that is missing or broken is reported (V435, A060) and gives
 * nothing. */
void model_place_entity(const struct entity *entity, const struct model_owner *owner,
                        struct assets *assets, struct diag *diag, struct placed_models *out);

/* The same for a model that is read already, where it stands; with no keys. */
void model_place_at(const struct mesh_model *model, const char *name,
                    const struct transform *transform, const struct model_owner *owner,
                    struct assets *assets, struct diag *diag, struct placed_models *out);

void clip_bodies_free(struct clip_body *bodies);

/* --- model_clip.c: what collides, made of triangles --- */

#define MODEL_CLIP_DEPTH 2.0 /* units, where no key says */

/* Appends a body for each triangle of a surface, drawn out `depth` units behind it: by default
 * along the axis that it faces most, so that those of a bent surface meet without gaps. Two
 * triangles that make a flat convex quad become one body. Shaders that are not solid get none. */
void model_clip(const struct draw_surface *surface, int flags, double depth,
                struct clip_body **out);

/* --- model_scatter.c: models strewn over surfaces --- */

/* Appends the models of all surfaces (polygons and triangles) whose shader names some, with "MODEL
 * DENSITY ODDS MINSCALE MAXSCALE MINANGLE MAXANGLE ORIENTED": one in each square of DENSITY units
 * in which a number below ODDS is drawn, turned by degrees between the angles, its z along the
 * surface's normal where ORIENTED is not 0. What is left out is 64, 1, 1, 1, 0, 360 and 0. Where
 * they are hangs on places alone. Models belong to the entity and model of their surface. Reported
 * are models that are missing (V435), each once, and numbers that make no sense (V439). */
void models_scatter(const struct draw_surface *surfaces, size_t count, struct assets *assets,
                    struct diag *diag, struct placed_models *out);

/* --- misc_models.c: what entities of a compile place: patches, models, decals and flares --- */

/* A patch of an entity as a surface, less `origin`; false when it is none. */
bool quake3_patch(struct compile *compile, int owner, const struct map_patch *patch,
                  struct vec3 origin, struct draw_surface *out);
/* Reads models and decals. Brushes of models are added to those of the world. */
void quake3_load_placed(struct compile *compile, struct map_brush ***made);
void quake3_add_flares(struct compile *compile, struct draw_surface **out);
void quake3_placed_free(struct quake3 *quake3);

#endif
