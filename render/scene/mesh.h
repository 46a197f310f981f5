/* What a picture shows of a map, as triangles with all that their colour hangs on.
 *
 * All drawn faces are in it, where their entities stand: unlike the scene of vrad, which knows what
 * blocks light alone, that holds glass, water and doors. */
#ifndef RENDER_SCENE_MESH_H
#define RENDER_SCENE_MESH_H

#include "common/bsp/bsp.h"
#include "common/env.h"
#include "common/text/entities.h"
#include "common/trace/trace.h"
#include "render/scene/air.h"
#include "render/scene/looks.h"

enum lit_by {
    LIT_BY_LUXELS,
    LIT_BY_CORNERS, /* light of the triangle's corners */
    LIT_AS_MODEL,   /* the air around the whole of it, and lamps; corners have normals */
    LIT_BY_AIR,     /* the ambient light at the place */
    LIT_FULLY,
    LIT_BY_SHAPE, /* maps without light: by how it is turned */
};

struct surface {
    int look; /* in mesh.looks */
    enum lit_by lit_by;
    size_t luxels;     /* LIT_BY_LUXELS: in mesh.luxels, in colours; row after row */
    int width, height; /* of those */
    int air;           /* LIT_AS_MODEL: in mesh.airs */
    float opacity;     /* of its entity */
    bool two_sided;
};

struct triangle {
    uint32_t surface;
    float uv[3][2];      /* of the texture, 0 .. 1 over it */
    float st[3][2];      /* luxels; luxel (0, 0) is centred on 0, 0 */
    float blend[3];      /* share of the look's second texture */
    float corners[3][3]; /* their light, or their normals */
    float normal[3];
    float density; /* of uv: root of area by area */
};

struct mesh {
    struct trace_scene *trace;
    struct look *looks;         /* stb_ds array */
    struct surface *surfaces;   /* stb_ds array */
    struct triangle *triangles; /* stb_ds array, by the numbers of hits */
    float (*luxels)[3];         /* stb_ds array; linear, 255 is white */
    struct air *airs;           /* stb_ds array */
    bool lit;                   /* there are lightmaps */
    size_t props_drawn, props_left_out;
};

/* What is drawn, and how. */
struct mesh_source {
    const struct env *env;
    const struct bsp *bsp;
    const struct entity_list *entities;
    const struct bsp_light_set *light;
    const struct bsp_face *faces; /* those that name the lightmaps of `light` */
    struct assets *assets;
    struct looks *looks;
};

/* Fails when the ray library does. */
NODISCARD enum status mesh_build(const struct mesh_source *source, struct mesh *out);
void mesh_free(struct mesh *mesh);

#endif
