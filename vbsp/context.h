/* clang-format off */
/* The context of one compile, shared by its steps. Each step reads the results of earlier ones and
 * adds its own; vbsp.c has their order.
 *
 *   level/              reads the map                     -> struct level
 *   load.c              entities and solids               -> entities, brushes, planes, texinfos
 *   csg/ tree/ portals/ the tree, inside and outside      -> struct tree, struct areas, struct prt
 *   target/             faces or surfaces, and records    -> bsp and sidecar files
 *   report/             problems of the map, and usage of the format's limits */
/* clang-format on */
#ifndef VBSP_CONTEXT_H
#define VBSP_CONTEXT_H

#include "common/bsp/lumps/pakfile.h"
#include "vbsp/csg/brush.h"
#include "vbsp/csg/plane_set.h"
#include "vbsp/csg/texinfo.h"
#include "vbsp/level/entity_class.h"
#include "vbsp/vbsp.h"

/* An entity as it will be written. */
struct compile_entity {
    struct entity keys;
    const struct map_entity *map_entity;
    struct vec3 origin;
    enum class_use use;
    bool dropped;      /* not written (func_detail after its brushes moved to the world) */
    int model;         /* model number; 0: the world; -1: none */
    int portal_number; /* of a func_areaportal, from 1; 0: none */
    int *brushes; /* stb_ds array of indices in compile.brushes: of its model, or (model -1) of an
                     occluder and the like, which are only records */
};

struct material_replacements;
struct vbsp_target;

struct compile {
    const struct env *env;
    const struct vbsp_options *options;
    struct assets *assets;
    const struct level *level;
    struct level whole;               /* `level` completed by compile_begin */
    const struct vbsp_target *target; /* of the engine of the options; set by load_map */
    void *state;                      /* state of the target, from its `begin` to its `release` */
    struct arena arena;               /* lives as long as the compile */

    struct plane_set planes;
    struct texinfo_set texinfos;
    struct material_replacements *material_replacements; /* NULL: the map's materials are used */
    struct compile_entity *entities;                     /* stb_ds array; the first is worldspawn */
    struct map_brush **brushes; /* stb_ds array; index = number in the brush lump */
    /* stb_ds array: brushes with displacements. They are not in the lump and do not collide; only
     * their sides with `displacement` set become faces, of the world. Their number is -1. */
    struct map_brush **displacement_brushes;

    struct bsp *bsp;
    struct pakfile pakfile; /* files that go into the BSP */
};

/* load.c: completes the level (instances, cordons) and adapts it to the target, as the options say.
 * Fails, reported, when a part of the level is missing or the options have no target (BSP_TARGET);
 * nothing needs to be freed then. Otherwise end with compile_free, and free the bsp. */
NODISCARD enum status compile_begin(struct compile *compile, const struct env *env,
                                    const struct vbsp_options *options, struct assets *assets,
                                    const struct level *level);

/* load.c, after compile_begin. Reports invalid brushes and skips them. Also sets bsp->cubemaps. */
NODISCARD enum status load_map(struct compile *compile);

/* Frees everything that load_map and later steps added to the compile, but not the bsp. */
void compile_free(struct compile *compile);

#endif
