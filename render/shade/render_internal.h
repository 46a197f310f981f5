/* Inside render: a map that is ready for pictures. */
#ifndef RENDER_SHADE_RENDER_INTERNAL_H
#define RENDER_SHADE_RENDER_INTERNAL_H

#include "render/render.h"
#include "render/scene/mesh.h"
#include "render/shade/lamps.h"
#include "render/shade/sky.h"

/* The small room that stands for what is far away (sky_camera). */
struct render_sky_room {
    bool present;
    struct vec3 origin; /* the place in it that stands for the map's origin */
    double scale;
    int area;
};

struct render {
    const struct env *env;
    const struct bsp *bsp;
    struct render_options options;
    struct entity_list entities;
    struct looks looks;
    struct mesh mesh;
    const struct bsp_light_set *light;
    struct light *lamps; /* stb_ds array */
    struct sky sky;
    struct render_sky_room room;
};

/* A way through the map, in steps from one surface to the next. */
struct render_path {
    struct vec3 origin, direction; /* unit */
    double near;                   /* where it goes on */
    float colour[3];               /* what was met so far; 255 is white */
    float left;                    /* the share that is still to be met */
    bool in_room, done;
    bool lost; /* it met nothing, not even sky */
};

/* Takes 16 paths to their ends. `spread` is the width of a sample at distance 1. */
void render_follow(const struct render *render, double spread, bool in_room,
                   struct render_path paths[TRACE_PACKET]);

#endif
