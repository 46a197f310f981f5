/* What a point of a prop sees of the scene.
 *
 * Hulls are rough: points of the prop, and of props that stand in one another, lie inside them.
 * So a hull does not block what leaves it, only what enters. */
#ifndef VRAD_SCENE_PROP_VIEW_H
#define VRAD_SCENE_PROP_VIEW_H

#include "vrad/scene/scene.h"

struct prop_viewer {
    int prop;            /* whose point it is; -1: of none */
    bool no_self_shadow; /* rays pass through that prop */
    int area;            /* of the map */
};

/* Lanes of `valid` whose way to `far` is blocked. */
uint32_t prop_view_blocked16(const struct scene *scene, const struct prop_viewer *viewer,
                             const struct trace_packet *packet, uint32_t valid);

/* What each ray meets; what is hidden by a prop, or in the sky room, is SCENE_BLANK. SCENE_INSIDE
 * is the back of a solid, which only what lies inside of it sees. */
enum { SCENE_INSIDE = -3 };
void prop_view_trace16(const struct scene *scene, const struct prop_viewer *viewer,
                       const struct trace_packet *packet, uint32_t valid,
                       struct scene_hit hits[TRACE_PACKET]);

/* The prop that the point lies inside of, or -1: by its hulls, or by triangles that see their backs
 * from there. */
int prop_view_inside(const struct scene *scene, struct vec3 point);

#endif
