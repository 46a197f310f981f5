/* Draw surfaces before they are written to an IBSP: sides of brushes, patches, models, flares. All
 * are in the space of their model (world coordinates minus the entity's origin). */
#ifndef VBSP_QUAKE3_SURFACES_SURFACE_H
#define VBSP_QUAKE3_SURFACES_SURFACE_H

#include "common/assets/shaders/shader.h"
#include "common/bsp/bsp.h"
#include "common/diag/diag.h"
#include "common/geom/plane.h"
#include "common/geom/vec.h"

struct draw_vertex {
    struct vec3 p, normal; /* unit */
    double texture[2];     /* in whole images */
    uint8_t colour[4];
};

/* Lighting keys of an entity (func_group, misc_model ...) and its shader. */
struct surface_keys {
    double
        sample_size; /* units per luxel, after all scales; 0: the default of the lighting stage */
    double shade_angle;     /* degrees; 0: flat */
    int cast_shadows;       /* group numbers as written; 1: the default */
    bool casts_by_key;      /* cast_shadows is from a key */
    int receive_shadows;    /* the same */
    struct vec3 ambient;    /* light that is added to its own, of 255 */
    const char *cel_shader; /* of a copy of each surface, without "textures/"; NULL: none */
};

struct draw_surface {
    enum surface_type type; /* SURFACE_PLANAR: a convex polygon, clockwise seen from its front,
                               until it is given indices; SURFACE_MESH: triangles; SURFACE_PATCH */
    const struct shader *shader;
    int entity;                   /* in the level: owner of the object */
    int model;                    /* number of its model */
    int fog;                      /* index of the bsp's effects, -1: none */
    struct draw_vertex *vertices; /* stb_ds array; of patches the control points, in rows */
    int *indices;                 /* stb_ds array, three per triangle; NULL: not triangulated */
    int patch_columns, patch_rows;
    struct bounds lod; /* patches: bounds of the LOD group */
    bool planar;
    struct vec3 normal; /* of the plane, when planar */
    double dist;
    bool lightmapped; /* lightmapped; otherwise vertex lit */
    bool no_tjunctions;
    int apart; /* 0, or a number of its own: it is merged with no other */
    struct surface_keys keys;
    struct diag_where where;
};

void draw_surface_free(struct draw_surface *surface);
void draw_surfaces_free(struct draw_surface *surfaces); /* the array and its elements */

/* True if the surface has the form that the engine turns to the viewer (deformVertexes autosprite):
 * triangles in pairs, of four vertices each that no other pair has. */
bool draw_surface_is_quads(const struct draw_surface *surface);

/* True if surfaces get a lightmap: the shader uses one, and no parameter forbids it. */
bool shader_wants_lightmap(const struct shader *shader);

/* A copy without vertices or indices. */
struct draw_surface draw_surface_like(const struct draw_surface *surface);
struct draw_surface draw_surface_copy(const struct draw_surface *surface);
/* For patches, the bounds of the control points. */
struct bounds draw_surface_bounds(const struct draw_surface *surface);
/* For polygons and triangles; else 0. */
double draw_surface_area(const struct draw_surface *surface);
struct draw_vertex draw_vertex_lerp(const struct draw_vertex *a, const struct draw_vertex *b,
                                    double t);

/* Cuts a convex polygon (stb_ds array) by a plane: appends the front part to *front and the rest to
 * *behind, either of which may be NULL. Points within `near` are on both sides; a part without a
 * point farther from the plane is empty, but a polygon in the plane is behind. */
void draw_polygon_clip(const struct draw_vertex *polygon, const struct plane *plane, double near,
                       struct draw_vertex **front, struct draw_vertex **behind);

#endif
