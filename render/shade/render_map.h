/* A map that is ready for pictures: what render_open prepares, for render/shade and for the page of
 * view. */
#ifndef RENDER_SHADE_RENDER_MAP_H
#define RENDER_SHADE_RENDER_MAP_H

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

#endif
