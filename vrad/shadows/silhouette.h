/* The silhouette of one occluder on a plane, seen from a light or a sun, and the umbra test. */
#ifndef VRAD_SHADOWS_SILHOUETTE_H
#define VRAD_SHADOWS_SILHOUETTE_H

#include "vrad/shadows/occluders.h"
#include "vrad/shadows/shadow_plane.h"

/* An outline that reaches less than this into the window, in luxels, is ignored: walls stand along
 * the borders of faces. */
#define SILHOUETTE_MIN_REACH 2e-3

/* Luxel coordinates and height over the plane. */
struct plane_point {
    double s, t, z;
};

/* A window in a plane, seen from a light. */
struct silhouette_view {
    const struct shadow_plane *plane;
    const struct occluders *occluders;
    struct vec3 light;     /* of a sun: the direction towards its middle */
    struct plane_point at; /* the light's; of a sun: the same direction, which rises by z */
    bool sun;
    const struct shadow_window *window;
};

enum { SILHOUETTE_MAX_EDGES = OCCLUDER_SIDES + OCCLUDER_EDGES };

/* The outline of a shadow: the edges that clip the window; none when it covers all of it. */
struct silhouette {
    struct shadow_edge edges[SILHOUETTE_MAX_EDGES];
    int count;
    double low, high; /* the range of rows that it touches */
};

struct plane_point plane_point_of(const struct shadow_plane *plane, struct vec3 point);
/* The same of a direction. */
struct plane_point plane_way_of(const struct shadow_plane *plane, struct vec3 way);

/* Returns false when the occluder hides nothing of the window. */
bool silhouette_find(const struct silhouette_view *view, const struct occluder *occluder,
                     struct silhouette *outline);

/* Umbra test: returns true if the occluder hides all of a window from the light, given the
 * `corners` of a convex part of a plane that the light is above. Quick and conservative: it may
 * miss umbras that the outline shows. */
bool umbra_test(const struct occluders *occluders, const struct occluder *occluder,
                struct vec3 light, const struct vec3 corners[4]);

#endif
