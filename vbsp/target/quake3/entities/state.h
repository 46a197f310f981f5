/* State of a compile for Quake 3. Each module knows only the contents of its own lists. Defined in
 * the lowest module that knows of a compile. */
#ifndef VBSP_QUAKE3_ENTITIES_STATE_H
#define VBSP_QUAKE3_ENTITIES_STATE_H

#include "common/bsp/sidecar/surface_notes.h"
#include "vbsp/context.h"

struct quake3 {
    struct brush_shader *brush_shaders; /* hash map: brushes/contents.c */
    int mixed_brushes;                  /* with sides that differ in contents */
    struct diag_where first_mixed;
    struct fog *fogs;                   /* stb_ds array: brushes/fogs.c */
    const struct map_brush *global_fog; /* its volume, in no leaf; or NULL */
    struct bounds light_grid;           /* bounds of lightgrid brushes; empty: the world's */
    struct draw_surface *surfaces;      /* stb_ds array: of the world, until its tree is written */
    struct draw_surface *models;        /* stb_ds array: models placed in the world */
    struct decal *decals;               /* stb_ds array */
    struct terrain *terrains;           /* stb_ds array: brushes/terrain.c */
    struct change_volume *volumes;      /* stb_ds array: brushes that change vertices */
    struct map_solid **made;            /* stb_ds array: brushes/made_brush.c */
    struct shader_cell *shaders;        /* hash map: numbers of records, emit/emit.c */
    struct run_cell *runs;              /* hash map: positions of index runs, emit/emit.c */
    struct surface_notes notes;
};

/* Valid between `begin` and `release` of the target. */
static inline struct quake3 *quake3_of(const struct compile *compile)
{
    return compile->state;
}

#endif
