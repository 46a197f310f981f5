/* Pictures of what compilers know of a map, in the place of its light. */
#ifndef RENDER_DEBUG_DEBUG_H
#define RENDER_DEBUG_DEBUG_H

#include "common/bsp/sidecar/prt.h"
#include "render/render.h"

enum debug_mode {
    DEBUG_NONE,
    DEBUG_PORTALS,  /* lines around the portals between clusters */
    DEBUG_CLUSTERS, /* a colour for each */
    DEBUG_PVS,      /* what is visible from the cluster of the place; the rest is dark */
    DEBUG_LEAVES,
    DEBUG_DENSITY,  /* size of luxels */
    DEBUG_SEAMS,    /* differences of the light where two lightmaps meet */
    DEBUG_OVERDRAW, /* surfaces behind each other that a game draws */
    DEBUG_NORMALS,
    DEBUG_LIGHTS, /* number of lights that reach a surface */
};

/* By mode, and NULL. */
extern const char *const debug_mode_names[];

struct debug_source {
    enum debug_mode mode;
    const struct prt *portals; /* DEBUG_PORTALS: of the map */
    struct vec3 place;         /* DEBUG_PVS */
};

/* Draws a picture in the size of the map's options, with a legend: a ray through the middle of each
 * pixel. Returns what render_draw does. */
unsigned char *debug_draw(const struct render *render, const struct debug_source *source,
                          const struct scene_view *view);

#endif
