/* What the steps for Quake 3 share; each stands in a file of its own.
 *
 *   entities.c     what becomes of entities, their keys for light, areaportals
 *   contents.c     what a brush is by its shaders
 *   fogs.c         bodies of fog, and faces cut where they begin
 *   placed.c       models and decals that entities place
 *   side_faces.c   polygons of the sides of brushes, as far as somebody sees them
 *   shapes.c       surfaces of a model, from all that is drawn, to their final form
 *   filing.c       which leaves a brush or a surface touches
 *   records.c      nodes, leaves, brushes, models, shaders
 *   surface_emit.c surfaces, vertices, indices, and the notes beside the file */
#ifndef VBSP_QUAKE3_QUAKE3_H
#define VBSP_QUAKE3_QUAKE3_H

#include "common/bsp/sidecar/surface_notes.h"
#include "vbsp/target/quake3/models/model_place.h"
#include "vbsp/target/quake3/patches/decal.h"
#include "vbsp/target/quake3/surfaces/extras.h"
#include "vbsp/target/quake3/surfaces/surface.h"
#include "vbsp/target/target.h"

struct shader_cell;
struct run_cell;

/* A body of fog: its number is that of its effect. */
struct fog {
    const struct map_brush *brush;
    const struct shader *shader;
    int visible; /* side of the brush, -1: none */
};

/* A brush's own shader, and what its record says it holds (enum shader_contents). */
struct brush_look {
    const struct shader *shader;
    int contents;
};

struct quake3 {
    struct {
        const struct map_brush *key;
        struct brush_look value;
    } *looks;                      /* hash map */
    struct shader_cell *shaders;   /* hash map: numbers of records */
    struct fog *fogs;              /* stb_ds array */
    struct bounds light_grid;      /* of the brushes that bound it; empty: the world's */
    struct draw_surface *surfaces; /* stb_ds array: of the world, until its tree is written */
    struct draw_surface *models;   /* stb_ds array: what is placed in the world */
    struct decal *decals;          /* stb_ds array */
    struct map_solid **bodies;     /* stb_ds array: made of models */
    struct run_cell *runs;         /* hash map: where runs of indices stand */
    struct surface_notes notes;
    int group; /* last number of surfaces that were cut up */
};

struct quake3 *quake3_of(struct compile *compile); /* made on the first call */

/* contents.c */
const struct shader *quake3_shader(const struct compile *compile, const struct brush_side *side);
void quake3_contents(struct compile *compile, struct map_brush *brush,
                     const struct brush_rules *rules);
const struct brush_look *quake3_look(const struct compile *compile, const struct map_brush *brush);

/* entities.c */
enum class_use quake3_class_use(const struct entity *keys);
struct entity quake3_keys(struct arena *arena, const struct map_entity *source);
bool quake3_keep(struct compile *compile, struct map_brush *brush);
void quake3_made(struct compile *compile, struct map_brush ***made);
bool quake3_has_model(const struct compile *compile, int entity);
enum status quake3_loaded(struct compile *compile);
/* What the keys of an entity, and the world's, say of light on a shader's surfaces. */
struct surface_keys quake3_surface_keys(const struct compile *compile, int entity,
                                        const struct shader *shader);

/* The entities of a source into a bsp of the same brushes; fails (UPDATE_MISFIT) where its models
 * are others. */
enum status quake3_update_entities(struct compile *compile, struct bsp *bsp);

/* fogs.c */
void quake3_find_fogs(struct compile *compile);
/* Cuts a polygon of the world where bodies of fog begin; `visit` gets each part with its fog, or
 * -1. */
typedef void fog_visit(void *context, const struct winding *winding, int fog);
void quake3_cut_by_fogs(const struct compile *compile, struct arena *arena,
                        const struct winding *winding, const struct plane *plane, fog_visit *visit,
                        void *context);
/* The body of fog that holds the middle of the bounds, or -1. */
int quake3_fog_of_bounds(const struct compile *compile, const struct bounds *bounds);
void quake3_emit_fogs(struct compile *compile);

/* side_faces.c: appends the polygons of an entity's brushes. `tree` hides parts of the world's;
 * NULL: nothing does. */
void quake3_side_faces(struct compile *compile, struct tree *tree, int entity,
                       struct draw_surface **out);

/* placed.c: models, decals and flares that entities place. Brushes of models are added to those of
 * the world. */
void quake3_place(struct compile *compile, struct map_brush ***made);
void quake3_add_flares(struct compile *compile, struct draw_surface **out);
void quake3_placed_free(struct quake3 *quake3);

/* shapes.c */

/* A patch of an entity as a surface, less `origin`; false when it is none. */
bool quake3_patch(struct compile *compile, int owner, const struct map_patch *patch,
                  struct vec3 origin, struct draw_surface *out);
/* All surfaces of an entity's model, joined and free of T-junctions. */
struct draw_surface *quake3_shapes(struct compile *compile, struct tree *tree, int entity);

/* filing.c */

/* Lists the world's brushes in the leaves (leaf_brushes) that they lie in. */
void quake3_file_brushes(const struct compile *compile, struct tree *tree);
/* Appends the open leaves that a surface touches to the stb_ds array, each once. */
void quake3_leaves_of(const struct compile *compile, struct tree *tree, struct arena *scratch,
                      const struct draw_surface *surface, struct node ***leaves);

/* records.c */
int quake3_shader_number(struct compile *compile, const struct shader *shader, int contents);
void quake3_shaders_free(struct quake3 *quake3);
void quake3_world(struct compile *compile, struct tree *tree, struct face *loose);
void quake3_model(struct compile *compile, int entity);
void quake3_emit_brushes(struct compile *compile);

/* surface_emit.c: writes a surface; its number. */
int quake3_emit_surface(struct compile *compile, const struct draw_surface *surface);
void quake3_runs_free(struct quake3 *quake3);

#endif
