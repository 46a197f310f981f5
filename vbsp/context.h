/* One compile: what the steps of vbsp share. Steps read what earlier ones made and add their own;
 * vbsp.c has their order.
 *
 *   level/    the source, whole                        -> level
 *   load.c    its entities and solids                   -> entities, brushes, planes, texinfos
 *   csg/ tree/ portals/                                 -> struct tree, struct areas, struct prt
 *   target/   faces or surfaces on a tree, and records  -> bsp, what the engine wants beside it
 *   report/   what is wrong with it, and what it uses of the format's limits */
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
    bool dropped;      /* not written (func_detail, after its brushes moved to the world) */
    int model;         /* number of its model; 0 for the world; -1: it has none */
    int portal_number; /* of a func_areaportal, from 1; 0: it is none */
    int *brushes;      /* stb_ds array of indices in compile.brushes: of its model, or (model -1) of
                          an occluder and the like, which are records only */
};

struct material_replacements;
struct vbsp_target;

struct compile {
    const struct env *env;
    const struct vbsp_options *options;
    struct assets *assets;
    const struct level *level;
    struct level whole;               /* what compile_begin made of it */
    const struct vbsp_target *target; /* of the options; set by load_map */
    void *state;                      /* the target's own: of its begin, until its release */
    struct arena arena;               /* lives as long as the compile */

    struct plane_set planes;
    struct texinfo_set texinfos;
    struct material_replacements *material_replacements; /* level/material_replacements.c; NULL: the
                                                            map keeps its materials */
    struct compile_entity *entities;                     /* stb_ds array; the first is worldspawn */
    struct map_brush **brushes; /* stb_ds array; index = number in the brush lump */
    /* stb_ds array: brushes that carry displacements. They are in no lump and block nothing; only
     * their sides with `displacement` set become faces, of the world. Their number is -1. */
    struct map_brush **displacement_brushes;

    struct bsp *bsp;
    struct pakfile pakfile; /* files that go into the BSP */
};

/* load.c: the level made whole and fit for the target, as far as the options say. Fails, reported,
 * when a part of the level is missing or the options have no target (BSP_TARGET); nothing is to be
 * freed then. Else end with compile_free, and free the bsp. */
NODISCARD enum status compile_begin(struct compile *compile, const struct env *env,
                                    const struct vbsp_options *options, struct assets *assets,
                                    const struct level *level);

/* load.c, after compile_begin. Reports bad brushes and goes on without them. Sets bsp->cubemaps
 * too. */
NODISCARD enum status load_map(struct compile *compile);

/* Frees all that load_map and the steps after it hung on the compile; not the bsp. */
void compile_free(struct compile *compile);

#endif
