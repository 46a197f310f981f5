/* One body's shadow on a plane: its outline, and whether it covers all of a window. */
#ifndef VRAD_SHADOWS_SILHOUETTE_H
#define VRAD_SHADOWS_SILHOUETTE_H

#include "vrad/shadows/occluders.h"
#include "vrad/shadows/shadow_plane.h"

/* What reaches less than this into the window, in luxels, is beside it: walls stand along the rims
 * of faces. */
#define SILHOUETTE_MIN_REACH 2e-3

/* Luxel coordinates and height over the plane. */
struct plane_point {
    double s, t, z;
};

/* What is looked at: a window in a plane, from a lamp. */
struct silhouette_view {
    const struct shadow_plane *plane;
    const struct occluders *occluders;
    struct vec3 light;
    struct plane_point at; /* of the lamp */
    const struct shadow_window *window;
};

enum { SILHOUETTE_MAX_EDGES = OCCLUDER_SIDES + OCCLUDER_EDGES };

/* The edges that cut the window: none when the shadow covers all of it. */
struct silhouette {
    struct shadow_edge edges[SILHOUETTE_MAX_EDGES];
    int count;
    double low, high; /* it lies between these rows */
};

struct plane_point plane_point_of(const struct shadow_plane *plane, struct vec3 point);

/* False when the body hides nothing of the window. */
bool silhouette_find(const struct silhouette_view *view, const struct occluder *occluder,
                     struct silhouette *outline);

/* Whether the body hides all of a window from the lamp, by the `corners` of a convex part of a
 * plane that the lamp stands over: a quick test that may miss what the outline of the shadow tells,
 * but never says more. */
bool umbra_test(const struct occluders *occluders, const struct occluder *occluder,
                struct vec3 light, const struct vec3 corners[4]);

#endif
