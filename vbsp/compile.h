/* One compile: what the steps of vbsp share. Steps read what earlier ones made and add their own.
 *
 *   load.c       entities and brushes of the source      -> entities, brushes, planes, texinfo
 *   csg.c tree.c portals.c flood.c   a tree a model       -> struct tree
 *   faces.c merge.c subdivide.c detail_faces.c tjunction.c   faces on the tree
 *   emit_*.c     records of the bsp
 *   portal_file.c, target/                                -> prt, the engine's own extras */
#ifndef VBSP_COMPILE_H
#define VBSP_COMPILE_H

#include "common/bsp/lumps/pakfile.h"
#include "vbsp/csg/brush.h"
#include "vbsp/csg/plane_set.h"
#include "vbsp/csg/texinfo.h"
#include "vbsp/level/entity_class.h"
#include "vbsp/tree/tree.h"
#include "vbsp/vbsp.h"

/* An entity as it will be written. */
struct compile_entity {
    struct entity keys;
    const struct map_entity *source;
    struct vec3 origin;
    enum class_use use;
    bool dropped;      /* not written (func_detail, after its brushes moved to the world) */
    int model;         /* number of its model; 0 for the world; -1: it has none */
    int portal_number; /* of a func_areaportal, from 1; 0: it is none */
    int *brushes;      /* stb_ds array of indices in compile.brushes: of its model, or (model -1) of
                          an occluder and the like, which are records only */
};

struct displacement;
struct quake3;
struct substitutes;
struct vbsp_target;

struct compile {
    const struct env *env;
    const struct vbsp_options *options;
    struct assets *assets;
    const struct map_source *source;
    const struct vbsp_target *target; /* of the options; set by load_map */
    struct arena arena;               /* lives as long as the compile */

    struct plane_set planes;
    struct texinfo_set texinfos;
    struct compile_entity *entities; /* stb_ds array; the first is worldspawn */
    struct map_brush **brushes;      /* stb_ds array; index = number in the brush lump */
    /* stb_ds array: brushes that carry displacements. They are in no lump and block nothing; only
     * their sides with `displacement` set become faces, of the world. Their number is -1. */
    struct map_brush **displacement_brushes;
    struct displacement **displacements; /* stb_ds array: those that have a face, in its order */

    struct bsp *bsp;
    const struct brush_side **face_sides; /* stb_ds array: of the map, one a face of the bsp */
    double lightmap_parts;                /* subdivide.c: parts that faces were cut into */
    struct pakfile pakfile;               /* files that go into the BSP */
    struct emitter *emitter; /* emit.c: what the records of the models share; NULL before them */

    /* update.c: the world of a bsp whose faces, and so bounds, stay; or NULL */
    const struct entity *old_world;

    struct overlay_set *overlays;     /* overlay.c */
    struct material_patches *patches; /* material_patch.c */
    struct substitutes *substitutes;  /* substitutes.c; NULL: the map keeps its materials */
    /* physics.c: lump 29 so far; NULL before the world's is made */
    struct physics_maker *physics;
    struct quake3 *quake3; /* target/quake3: what it keeps between its steps, or NULL */
};

/* vbsp.c: the brushes of an entity with these bits of `mask` in their contents, or without, as an
 * stb_ds array; the box around some. */
int *compile_select_brushes(const struct compile *compile, int entity, int mask, bool with);
struct bounds compile_brushes_bounds(const struct compile *compile, const int *brushes);

/* load.c. Reports bad brushes and goes on without them. Sets bsp->cubemaps too. */
NODISCARD enum status load_map(struct compile *compile);

/* What load_map and the steps after it hung on the compile; not the bsp. */
void compile_free(struct compile *compile);

/* entity_lump.c: the text of the entity lump. */
void entities_write(struct compile *compile);

/* entity_lump.c: keys of Source that need the finished faces (world_mins, world_maxs, a
 * water_lod_control), then the text of the entity lump. After the faces of model 0 and the leaf
 * water are in the bsp.
 */
void entities_finish(struct compile *compile);

/* Where a brush or side is, for diagnostics. */
struct diag_where brush_where(const struct compile *compile, const struct map_brush *brush,
                              const struct brush_side *side);

#endif
