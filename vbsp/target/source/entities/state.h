/* State of a compile for Source. Each module knows only the contents of its own fields. */
#ifndef VBSP_SOURCE_ENTITIES_STATE_H
#define VBSP_SOURCE_ENTITIES_STATE_H

#include "vbsp/context.h"
#include "vbsp/faces/vertex_pool.h"

/* Points that T-junction fixing left out so that the map stays within the limits of its branch, and
 * the most visible gap of them. */
struct tjunction_loss {
    int64_t points;
    double seen, length;
    struct vec3 at;
};

struct source_state {
    struct material_patches *patches; /* materials/material_patch.c */
    struct overlay_set *overlays;     /* materials/overlay.c */
    struct vertex_pool pool;          /* of the bsp's vertices */
    double lightmap_parts; /* faces/subdivide.c: number of parts that faces were cut into */
    struct tjunction_loss tjunction_loss;
    const struct brush_side **face_sides; /* stb_ds array: of the map, one per face of the bsp */
    struct displacement **displacements;  /* stb_ds array: those with a face, in its order */
    struct physics_maker *physics;        /* lump 29; NULL before the world's */
    struct emitter *emitter;              /* emit/emit.c; NULL before the first record */
    /* update/update.c: the world of a bsp whose faces, and so bounds, are kept; or NULL */
    const struct entity *old_world;
};

/* Valid between `begin` and `release` of the target. */
static inline struct source_state *source_state(const struct compile *compile)
{
    return compile->state;
}

#endif
