/* Internal: colours of the pixels of a debug picture. */
#ifndef RENDER_DEBUG_DEBUG_INTERNAL_H
#define RENDER_DEBUG_DEBUG_INTERNAL_H

#include "render/debug/debug.h"
#include "scene/images/canvas.h"
#include "scene/views/camera.h"
#include "scene/views/first_hit.h"

struct debug_job {
    const struct render *render;
    const struct debug_source *source;
    struct camera camera;
    unsigned char *row;        /* DEBUG_PVS: of the place's cluster, or of the eye's for overdraw */
    int cluster;               /* of it */
    unsigned char *light_rows; /* DEBUG_LIGHTS: one for each light, or NULL */
    const float *positions;    /* of the corners of triangles: 9 each */
    unsigned char *pixels;
};

struct debug_sample {
    struct vec3 origin, direction;
    struct first_hit hit;
};

/* The colour of a surface, 0 .. 255; right and below are the next pixels, NULL at the edges of the
 * picture. */
typedef struct vec3 debug_colour(const struct debug_job *job, const struct debug_sample *at,
                                 const struct debug_sample *right,
                                 const struct debug_sample *below);

debug_colour debug_lit, debug_clusters, debug_pvs, debug_leaves, debug_density, debug_seams,
    debug_overdraw, debug_normals, debug_lights;

/* Returns the cluster before a surface; -1: none, or the map has no tree. */
int debug_cluster(const struct debug_job *job, struct vec3 point, struct vec3 normal);

/* A colour for a number that its neighbours do not have, and one for a part of 0 .. 1: dark blue,
 * cyan, green, yellow, red. */
struct vec3 debug_distinct(int number);
struct vec3 debug_heat(double part);

/* Darkens walls, so that rooms have edges; not floors. */
struct vec3 debug_shaded(struct vec3 colour, struct vec3 normal);

/* The meaning of a colour, for a legend. */
struct debug_key {
    struct vec3 colour;
    const char *text;
};

enum { DEBUG_KEYS = 8 };

/* Ends with a text of NULL. */
const struct debug_key *debug_legend(enum debug_mode mode);

/* Most lights and layers that differ in colour. */
#define DEBUG_MOST 8.0

#endif
