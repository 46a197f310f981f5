/* Internal: a map that is ready for pictures. */
#ifndef RENDER_SHADE_RENDER_INTERNAL_H
#define RENDER_SHADE_RENDER_INTERNAL_H

#include "render/render.h"
#include "render/scene/mesh.h"
#include "render/shade/lights.h"
#include "render/shade/sky.h"

/* The 3D skybox (sky_camera). */
struct render_skybox {
    bool present;
    struct vec3 origin; /* of the sky_camera */
    double scale;
    int area;
};

struct render {
    const struct env *env;
    const struct bsp *bsp;
    struct render_options options;
    struct entity_list entities;
    struct render_materials materials;
    struct mesh mesh;
    const struct bsp_light_set *light;
    struct light *lights; /* stb_ds array */
    struct sky sky;
    struct render_skybox skybox;
};

/* A ray through the map and all translucent surfaces on it. */
struct render_path {
    struct vec3 origin, direction; /* unit */
    double near;                   /* where the next step starts */
    float colour[3];               /* accumulated so far; 255 is white */
    float throughput;              /* throughput: the share still to come */
    bool in_skybox, done;
    bool escaped; /* it hit nothing, not even sky */
};

/* Traces 16 paths to their ends. `spread` is the width of a sample at distance 1. */
void render_trace_paths(const struct render *render, double spread, bool in_skybox,
                        struct render_path paths[TRACE_PACKET]);

#endif
