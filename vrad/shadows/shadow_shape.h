/* One body's shadow on a plane: its outline, and whether it covers all of a window. */
#ifndef VRAD_SHADOWS_SHADOW_SHAPE_H
#define VRAD_SHADOWS_SHADOW_SHAPE_H

#include "vrad/shadows/shadow_bodies.h"
#include "vrad/shadows/shadow_plane.h"

/* What reaches less than this into the window, in luxels, is beside it: walls stand along the rims
 * of faces. */
#define SHADOW_MIN_REACH 2e-3

/* Luxel coordinates and height over the plane. */
struct shadow_place {
    double s, t, z;
};

/* What is looked at: a window in a plane, from a lamp. */
struct shadow_view {
    const struct shadow_plane *plane;
    const struct shadow_bodies *bodies;
    struct vec3 lamp;
    struct shadow_place at; /* of the lamp */
    const struct shadow_window *window;
};

enum { SHADOW_MAX_EDGES = SHADOW_SIDES + SHADOW_EDGES };

/* The edges that cut the window: none when the shadow covers all of it. */
struct shadow_shape {
    struct shadow_edge edges[SHADOW_MAX_EDGES];
    int count;
    double low, high; /* it lies between these rows */
};

struct shadow_place shadow_place_of(const struct shadow_plane *plane, struct vec3 point);

/* False when the body hides nothing of the window. */
bool shadow_shape_find(const struct shadow_view *view, const struct shadow_body *body,
                       struct shadow_shape *outline);

/* Whether the body hides all of a window from the lamp, by the `corners` of a convex part of a
 * plane that the lamp stands over: a quick test that may miss what the outline of the shadow tells,
 * but never says more. */
bool shadow_covers(const struct shadow_bodies *bodies, const struct shadow_body *body,
                   struct vec3 lamp, const struct vec3 corners[4]);

#endif
