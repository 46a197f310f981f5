/* The target table: the functions of an engine family, called by load.c and vbsp.c, which are
 * independent of the family. */
#ifndef VBSP_TARGET_TARGET_H
#define VBSP_TARGET_TARGET_H

#include "vbsp/context.h"

struct areas;
struct face;
struct portal;
struct splitter_rules;
struct tree;

/* How an entity changes its brushes. */
struct brush_rules {
    struct vec3 origin;   /* planes move by -origin, texture coordinates follow */
    int base_contents;    /* ORed to the contents of the materials: DETAIL, LADDER, WATER */
    bool only_areaportal; /* contents are AREAPORTAL, regardless of materials */
    bool is_occluder;     /* contents are SOLID: its polygons do not depend on a side's material */
    bool in_world;        /* clips are not in the tree; otherwise DETAIL is removed */
};

struct vbsp_target {
    bool whole_origins; /* the centre of an origin brush loses its fraction */
    bool open_worlds;   /* a world may have displacements and models alone: it leaks */

    /* Converts a level made for another engine family. */
    void (*adapt)(struct level *map, struct diag *diag);

    /* Allocates compile->state before loading; `release` frees it, also after a failure. */
    void (*begin)(struct compile *compile);
    void (*release)(struct compile *compile);

    /* --- entities and brushes: load.c --- */

    /* The handling of an entity other than the world. */
    enum class_use (*class_use)(const struct entity *keys);
    /* The keys of an entity for the lump; free with arrfree(pairs). */
    struct entity (*keys)(struct arena *arena, const struct map_entity *map_entity);
    /* Sets the contents of a brush and its sides from their materials, after the sides' flags.
     * Values of contents_flag, by which the tree is built: records may have others. */
    void (*contents)(struct compile *compile, struct map_brush *brush,
                     const struct brush_rules *rules);
    /* Loads the displacements of a brush of the world. True if any is valid: then the brush does
     * not collide, and is added to compile->displacement_brushes. */
    bool (*displace)(struct compile *compile, struct map_brush *brush);
    /* True if the brush is kept, by its contents and the options; may change the contents. */
    bool (*keep)(struct compile *compile, struct map_brush *brush);
    /* After all entities are loaded, with the brushes of each (an stb_ds array of stb_ds arrays),
     * which are not numbered yet and may be dropped. Numbers areaportals. */
    void (*made)(struct compile *compile, struct map_brush ***made);
    /* True if an entity of a model class gets a model; its brushes are listed. */
    bool (*has_model)(const struct compile *compile, int entity);
    /* After brushes and models are numbered. */
    enum status (*loaded)(struct compile *compile);
    /* After materials of brushes, and with them contents, have changed. NULL: they never do. */
    void (*changed)(struct compile *compile);

    /* --- the world --- */

    /* Size of the blocks into which the world is cut, in units; 0: not cut across that axis. */
    struct vec3 (*block_size)(const struct compile *compile);
    const struct splitter_rules *splitters;
    /* Writes the records of areas. */
    void (*areas)(const struct compile *compile, struct tree *tree, const struct areas *areas);
    /* Adds data for the family's visibility tools to the portals; the n-th was made of
     * `written`[n]. */
    void (*portals)(const struct tree *tree, struct portal *const *written, struct prt *prt);
    /* Makes what is drawn, while the tree is not pruned and its inside is known; returns a list of
     * faces on no node, or NULL. */
    struct face *(*faces)(struct compile *compile, struct tree *tree);
    /* Writes the world's records. The tree is pruned, its clusters are numbered. */
    void (*world)(struct compile *compile, struct tree *tree, struct face *loose);

    /* --- the rest --- */

    /* Compiles the model of an entity, all steps. */
    void (*model)(struct compile *compile, int entity);
    /* After all models: writes brushes, planes, entities and other output. */
    enum status (*finish)(struct compile *compile, const struct tree *world,
                          struct vbsp_output *out);
    /* The brush side of a face of the bsp, or NULL. */
    const struct brush_side *(*side_of_face)(const struct compile *compile, int face);

    /* --- update.c: replace the entities, or props, of an existing bsp with those of the level ---
     * */

    enum status (*update_entities)(struct compile *compile, struct bsp *bsp);
    enum status (*update_props)(struct compile *compile, struct bsp *bsp);
};

/* The target of an engine; NULL: maps are not compiled for it. */
const struct vbsp_target *vbsp_target_of(const struct engine *engine);

extern const struct vbsp_target vbsp_target_source, vbsp_target_quake3;

#endif
