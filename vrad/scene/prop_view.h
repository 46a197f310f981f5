/* Rays from points of props.
 *
 * Collision hulls are coarse: points of the prop, and of props that intersect, lie inside of them.
 * So a hull does not block rays that leave it, only those that enter. */
#ifndef VRAD_SCENE_PROP_VIEW_H
#define VRAD_SCENE_PROP_VIEW_H

#include "vrad/scene/scene.h"

struct prop_viewer {
    int prop;            /* the point's own; -1: none */
    bool no_self_shadow; /* rays pass through that prop */
    int area;            /* of the map */
};

/* Lanes of `valid` that are blocked before `far`. */
uint32_t prop_view_blocked16(const struct scene *scene, const struct prop_viewer *viewer,
                             const struct trace_packet *packet, uint32_t valid);

/* The hit of each ray; the 3D skybox is SCENE_BLANK, and so are props that do not reflect.
 * SCENE_INSIDE is the back of a solid, which only rays from inside hit. */
enum { SCENE_INSIDE = -3 };
void prop_view_trace16(const struct scene *scene, const struct prop_viewer *viewer,
                       const struct trace_packet *packet, uint32_t valid,
                       struct scene_hit hits[TRACE_PACKET]);

/* The prop that contains the point, or -1: by its hulls, or by triangles whose backs are visible
 * from there. */
int prop_view_inside(const struct scene *scene, struct vec3 point);

#endif
