/* One compile: what the steps of vbsp share. Steps read what earlier ones made and add their own.
 *
 *   load.c       entities and brushes of the source      -> entities, brushes, planes, texinfo
 *   csg.c tree.c portals.c flood.c   a tree a model       -> struct tree
 *   faces.c merge.c subdivide.c detail_faces.c tjunction.c   faces on the tree
 *   emit_*.c     records of the bsp
 *   portal_file.c, target/                                -> prt, the engine's own extras */
#ifndef VBSP_COMPILE_H
#define VBSP_COMPILE_H

#include "vbsp/brush.h"
#include "vbsp/plane_set.h"
#include "vbsp/texinfo.h"
#include "vbsp/tree.h"
#include "vbsp/vbsp.h"

/* An entity as it will be written. */
struct compile_entity {
    struct entity keys;
    const struct map_entity *source;
    struct vec3 origin;
    bool dropped;      /* not written (func_detail, after its brushes moved to the world) */
    int model;         /* number of its model; 0 for the world; -1: it has no brushes */
    int *brushes;      /* stb_ds array of indices in compile.brushes */
};

struct compile {
    const struct env *env;
    const struct vbsp_options *options;
    struct assets *assets;
    const struct map_source *source;
    struct arena arena; /* lives as long as the compile */

    struct plane_set planes;
    struct texinfo_set texinfos;
    struct compile_entity *entities; /* stb_ds array; the first is worldspawn */
    struct map_brush **brushes;      /* stb_ds array; index = number in the brush lump */

    struct bsp *bsp;
};

/* load.c. Reports bad brushes and goes on without them. */
NODISCARD enum status load_map(struct compile *compile);

/* Where a brush or side is, for diagnostics. */
struct diag_where brush_where(const struct compile *compile, const struct map_brush *brush,
                              const struct brush_side *side);

#endif
