/* What a family of engines has of its own: load.c and vbsp.c call it through this table, and know
 * nothing else of whom they work for. */
#ifndef VBSP_TARGET_TARGET_H
#define VBSP_TARGET_TARGET_H

#include "vbsp/context.h"

struct areas;
struct face;
struct portal;
struct tree;

/* How the entity that holds a solid changes its brush. */
struct brush_rules {
    struct vec3 origin;   /* the planes move by -origin, the texture coordinates follow */
    int base_contents;    /* ORed to what the materials give: DETAIL, LADDER, WATER */
    bool only_areaportal; /* contents AREAPORTAL whatever the materials are */
    bool in_world;        /* clips stay out of the tree; else DETAIL is taken off */
};

struct vbsp_target {
    enum container_family family; /* of the file that comes out */
    double world_limit;           /* of coordinates; 0: WORLD_LIMIT */
    /* Changes a source of another family's editors into what this one means by the same. */
    void (*adapt)(struct level *map, struct diag *diag);

    /* Makes compile->state, before anything is loaded; `release` frees it, also after a failure. */
    void (*begin)(struct compile *compile);
    void (*release)(struct compile *compile);

    /* --- entities and brushes: load.c --- */

    /* What becomes of an entity, but of the world. */
    enum class_use (*class_use)(const struct entity *keys);
    /* The keys of an entity as the lump will have them; free with arrfree(pairs). */
    struct entity (*keys)(struct arena *arena, const struct map_entity *map_entity);
    /* Sets the contents of a brush and its sides from their materials; the sides' flags are set.
     * In contents_flag, which the tree is built by: what a record says may be another thing. */
    void (*contents)(struct compile *compile, struct map_brush *brush,
                     const struct brush_rules *rules);
    /* Takes the displacements of a brush of the world that has some, and tells whether any makes
     * sense: then the brush is no obstacle, and goes to compile->displacement_brushes. */
    bool (*displace)(struct compile *compile, struct map_brush *brush);
    /* Whether a brush stays, by its contents and the options; may change the contents. */
    bool (*keep)(struct compile *compile, struct map_brush *brush);
    /* All entities are there, with the brushes made of each (an stb_ds array of stb_ds arrays),
     * that have no numbers yet and may be dropped. Gives numbers to areaportals. */
    void (*made)(struct compile *compile, struct map_brush ***made);
    /* Whether an entity of a class that makes a model gets one; its brushes are listed. */
    bool (*has_model)(const struct compile *compile, int entity);
    /* Brushes and models have their numbers. */
    enum status (*loaded)(struct compile *compile);

    /* --- the world --- */

    /* The blocks that it is cut into, in units; 0: not across that axis. */
    struct vec3 (*block_size)(const struct compile *compile);
    /* Writes what the engine is told about areas. */
    void (*areas)(const struct compile *compile, struct tree *tree, const struct areas *areas);
    /* Adds to the portals, the n-th being that of `written`[n], what visibility tools of the family
     * want beside them. */
    void (*portals)(const struct tree *tree, struct portal *const *written, struct prt *prt);
    /* What is drawn, while the tree is whole and its inside known; a list of what hangs on no node
     * of it, or NULL. */
    struct face *(*faces)(struct compile *compile, struct tree *tree);
    /* The world's records. The tree is pruned, its clusters are numbered. */
    void (*world)(struct compile *compile, struct tree *tree, struct face *loose);

    /* --- the rest --- */

    /* All of the model of an entity, in order. */
    void (*model)(struct compile *compile, int entity);
    /* After all models: brushes, planes, entities; what else comes out. */
    enum status (*finish)(struct compile *compile, const struct tree *world,
                          struct vbsp_output *out);
    /* The side of a brush that a face of the bsp comes from, or NULL. */
    const struct brush_side *(*side_of_face)(const struct compile *compile, int face);

    /* --- update.c: a bsp of an earlier compile gets the entities, or props, of this source --- */

    enum status (*update_entities)(struct compile *compile, struct bsp *bsp);
    enum status (*update_props)(struct compile *compile, struct bsp *bsp);
};

/* Of the engines that a format is for; NULL: maps are not compiled for those. */
const struct vbsp_target *vbsp_target_of(const struct bsp_format *format);

extern const struct vbsp_target vbsp_target_source, vbsp_target_quake3;

#endif
