/* Surfaces on their way into an IBSP: sides of brushes, patches, models, flares.
 *
 *   quake3/side_faces.c   from brushes: polygons, clipped to what can be seen
 *   quake3/patch*.c       from patches of the source: grids of control points
 *   quake3/model*.c       from misc_model and the like: triangles
 *   quake3/meta*.c        polygons made triangles, joined to surfaces of one shader
 *   quake3/surface_emit.c records of the BSP, filed in the leaves that they touch
 *
 * All are in the space of their model (world coordinates minus the entity's origin). */
#ifndef VBSP_QUAKE3_SURFACES_SURFACE_H
#define VBSP_QUAKE3_SURFACES_SURFACE_H

#include "common/assets/shaders/shader.h"
#include "common/bsp/bsp.h"
#include "common/diag/diag.h"
#include "common/geom/vec.h"

struct draw_vertex {
    struct vec3 p, normal; /* unit */
    double texture[2];     /* in images */
    uint8_t colour[4];
};

/* Keys of an entity (func_group, misc_model ...) and its shader that light heeds. */
struct surface_keys {
    double sample_size;  /* units a luxel, after all scales; 0: the default of the light stage */
    double shade_angle;  /* degrees; 0: flat */
    int cast_shadows;    /* group numbers as written; 1: the default */
    int receive_shadows; /* the same */
};

struct draw_surface {
    enum surface_type type; /* SURFACE_PLANAR: a convex polygon, clockwise seen from its front,
                               until it is given indices; SURFACE_MESH: triangles; SURFACE_PATCH */
    const struct shader *shader;
    int entity;                   /* of the source: the one that has the object */
    int model;                    /* that it belongs to */
    int fog;                      /* index of the bsp's effects, -1: none */
    struct draw_vertex *vertices; /* stb_ds array; of patches the control points, row after row */
    int *indices;                 /* stb_ds array, three a triangle; NULL: none made yet */
    int patch_columns, patch_rows;
    struct bounds lod; /* patches: of the group that is drawn in one degree of detail */
    bool planar;
    struct vec3 normal; /* of the plane, when planar */
    double dist;
    bool lightmapped; /* wants a lightmap; else lit at its vertices */
    bool no_tjunctions;
    struct surface_keys keys;
    struct diag_where where;
};

void draw_surface_free(struct draw_surface *surface);

#endif
