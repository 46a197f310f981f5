/* Paths of camera rays through a map. */
#ifndef RENDER_SHADE_TRACE_PATH_H
#define RENDER_SHADE_TRACE_PATH_H

#include "scene/scene.h"

/* The start of a second path, at water that mirrors, and its share of the light. */
struct render_mirror {
    struct vec3 origin, direction;
    double travelled;
    float share[3];
    bool present;
};

/* A ray through the map and all translucent surfaces on it. */
struct render_path {
    struct vec3 origin, direction; /* unit */
    double near;                   /* where the next step starts */
    double depth;                  /* along the view's axis, per unit of the way */
    double travelled;              /* before its origin */
    float colour[3];               /* accumulated so far; at the end light, 255 is white */
    float throughput[3];           /* the share still to come, by channel */
    bool parallel;                 /* its width is the same at all distances */
    bool outside;                  /* of scene_view */
    bool in_skybox, done;
    bool escaped; /* it hit nothing, not even sky */
    bool mirrored;
    struct render_mirror mirror; /* of the first water on it */
};

/* Traces 16 paths to their ends. `spread` is the width of a sample at distance 1, or at all
 * distances if they are parallel. */
void render_trace_paths(const struct map_scene *scene, double spread,
                        struct render_path paths[TRACE_PACKET]);

/* The light of the sky in a direction (unit); 255 is white. `spread`: of the sample. */
void render_sky_at(const struct map_scene *scene, struct vec3 direction, double spread,
                   float out[3]);

#endif
