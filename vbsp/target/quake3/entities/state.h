/* What the compile for Quake 3 keeps between its steps. Each room alone knows what its own lists
 * hold. It stands in the lowest room that knows of a compile. */
#ifndef VBSP_QUAKE3_ENTITIES_STATE_H
#define VBSP_QUAKE3_ENTITIES_STATE_H

#include "common/bsp/sidecar/surface_notes.h"
#include "vbsp/context.h"

struct quake3 {
    struct brush_look *looks;      /* hash map: brushes/contents.c */
    struct fog *fogs;              /* stb_ds array: brushes/fogs.c */
    struct bounds light_grid;      /* of the brushes that bound it; empty: the world's */
    struct draw_surface *surfaces; /* stb_ds array: of the world, until its tree is written */
    struct draw_surface *models;   /* stb_ds array: what is placed in the world */
    struct decal *decals;          /* stb_ds array */
    struct map_solid **bodies;     /* stb_ds array: made of models */
    struct shader_cell *shaders;   /* hash map: numbers of records, emit/records.c */
    struct run_cell *runs;         /* hash map: where runs of indices stand, emit/surface_emit.c */
    struct surface_notes notes;
};

/* After the begin of the target, until its release. */
static inline struct quake3 *quake3_of(const struct compile *compile)
{
    return compile->state;
}

#endif
