/* The scene of a picture: triangles with everything that their colour depends on.
 *
 * It contains all drawn faces, including those of entities. The scene of vrad, in contrast,
 * contains only what blocks light: no glass, water or doors. */
#ifndef SCENE_MESH_MESH_H
#define SCENE_MESH_MESH_H

#include "common/bsp/bsp.h"
#include "common/env.h"
#include "common/text/entities.h"
#include "common/trace/trace.h"
#include "scene/light/ambient.h"
#include "scene/materials/materials.h"

/* The triangles of a mesh by their surface. */

struct surface_order {
    uint32_t *triangles; /* stb_ds array */
    size_t *first;       /* in triangles: of each surface, and the count of triangles behind */
};

enum lit_by {
    LIT_BY_LUXELS,
    LIT_BY_VERTICES,           /* light of the triangle's vertices */
    LIT_BY_AMBIENT_AND_LIGHTS, /* one ambient cube for the whole prop, and lights; corners have
                                  normals */
    LIT_BY_AMBIENT,            /* the ambient light at the point */
    LIT_FULLBRIGHT,
    LIT_BY_NORMAL, /* maps without light: shaded by the normal */
};

struct surface {
    int material; /* in mesh.materials */
    enum lit_by lit_by;
    size_t luxels;     /* LIT_BY_LUXELS: offset in mesh.luxels; rows from the top */
    int width, height; /* of the lightmap */
    int ambient;       /* LIT_BY_AMBIENT_AND_LIGHTS: in mesh.ambient_cubes */
    float opacity;     /* of its entity */
    bool two_sided;
    bool paired; /* two-sided, and another surface in its place faces the other way: a ray sees one
                    of both, a program that draws both must leave out their backs */
    int back_material; /* of a paired one: the material of the other, which its back shows */
    int face;          /* of the BSP; IBSP: the surface; -1: of a static prop */
    int entity;        /* that draws it; 0: the world */
    int fog;           /* IBSP: effect of the BSP that the surface is in; -1: none */
    int prop;          /* -1: none */
    int cubemap;       /* of the map, that its material reflects if it names none */
};

struct triangle {
    uint32_t surface;
    float uv[3][2];      /* texture coordinates, 0 .. 1 over the texture */
    float st[3][2];      /* in luxels; luxel (0, 0) is centred on 0, 0 */
    float blend[3];      /* share of the material's second texture; Quake 3: opacity */
    float corners[3][3]; /* their light, or their normals */
    float normal[3];
    float density; /* of uv: square root of area per area */
};

struct mesh {
    struct trace_scene *trace;
    struct scene_material *materials; /* stb_ds array */
    int *overlay_materials;           /* stb_ds array: of each overlay of the map, -1: none */
    struct surface *surfaces;         /* stb_ds array */
    struct triangle *triangles;       /* stb_ds array, by the numbers of ray hits */
    int *sky_fogs;      /* stb_ds array: of each triangle of the sky, as surface.fog */
    float (*luxels)[3]; /* stb_ds array; linear, 255 is white */
    struct scene_ambient *ambient_cubes; /* stb_ds array */
    bool lit;                            /* there are lightmaps */
    size_t props_drawn, props_skipped;
};

/* Those of a surface keep the order of the mesh. */
void surface_order_make(const struct mesh *mesh, struct surface_order *out);
void surface_order_free(struct surface_order *order);

static inline size_t surface_order_count(const struct surface_order *order, size_t surface)
{
    return order->first[surface + 1] - order->first[surface];
}

/* Returns whether the back of a surface is drawn. Seen from outside it is not, so that no wall
 * hides a room: of Quake 3 and of water neither. What has leaves there are props. */
static inline bool surface_has_back(const struct surface *surface, bool outside)
{
    return surface->two_sided && (!outside || surface->prop >= 0);
}

/* Input of mesh_build. */
struct mesh_source {
    const struct env *env;
    const struct bsp *bsp;
    const struct entity_list *entities;
    const struct bsp_light_set *light;
    const struct bsp_face *faces; /* the faces with the lightmaps of `light` */
    struct assets *assets;
    struct scene_materials *materials;
    bool tools;          /* with the surfaces that games do not draw */
    bool moves_vertices; /* where shaders move them at that time */
    double seconds;      /* the time of the game that is drawn */
};

/* Fails when the ray tracing library does. */
NODISCARD enum status mesh_build(const struct mesh_source *source, struct mesh *out);
void mesh_free(struct mesh *mesh);

/* Returns whether a ray meets the back of a triangle of the sky: the number is that of its hit. */
bool mesh_sky_is_back(const struct mesh *mesh, uint32_t triangle, struct vec3 direction);

#endif
