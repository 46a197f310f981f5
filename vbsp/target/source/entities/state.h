/* What a compile for Source keeps between its steps. Each room alone knows what its own things
 * hold. */
#ifndef VBSP_SOURCE_ENTITIES_STATE_H
#define VBSP_SOURCE_ENTITIES_STATE_H

#include "vbsp/context.h"
#include "vbsp/faces/vertex_pool.h"

struct source_state {
    struct material_patches *patches;     /* materials/material_patch.c */
    struct overlay_set *overlays;         /* materials/overlay.c */
    struct vertex_pool pool;              /* of the bsp's vertices */
    double lightmap_parts;                /* faces/subdivide.c: parts that faces were cut into */
    const struct brush_side **face_sides; /* stb_ds array: of the map, one a face of the bsp */
    struct displacement **displacements;  /* stb_ds array: those that have a face, in its order */
    struct physics_maker *physics;        /* lump 29 so far; NULL before the world's is made */
    struct emitter *emitter;              /* emit/emit.c; NULL before the first record */
    /* update/update.c: the world of a bsp whose faces, and so bounds, stay; or NULL */
    const struct entity *old_world;
};

/* After the begin of the target, until its release. */
static inline struct source_state *source_state(const struct compile *compile)
{
    return compile->state;
}

#endif
