/* The plane of a face onto which shadows are projected, in luxel coordinates. */
#ifndef VRAD_SHADOWS_SHADOW_PLANE_H
#define VRAD_SHADOWS_SHADOW_PLANE_H

#include "vrad/luxels/luxel.h"

/* Inside a s + b t + c >= 0; |a| + |b| is 1. */
struct shadow_edge {
    float a, b, c;
    float inverse; /* of a; 0: the edge runs along s */
};

/* A convex polygon in luxel coordinates. */
struct shadow_outline {
    int first_edge, edge_count;
};

/* An outline that crosses a cell. */
struct shadow_entry {
    int outline, next; /* -1: the last entry of the cell */
};

enum { UMBRA_CACHE = 4 };

/* The plane of the ray origins of a face, and the shadows on it. */
struct shadow_plane {
    struct vec3 normal; /* height over it = normal * p - dist */
    double dist;
    struct vec3 dual[2]; /* luxel coordinate k = dual[k] * p + offset[k] */
    double offset[2];
    struct vec3 origin, axis[2];  /* of luxel coordinates, on the plane */
    const struct point2 *polygon; /* the face, in luxel coordinates */
    int corners;
    bool slanted;              /* not an axis-aligned rectangle */
    struct shadow_edge *edges; /* stb_ds arrays */
    struct shadow_outline *outlines;
    struct shadow_entry *entries;
    int umbra_cache[UMBRA_CACHE]; /* occluders that recently had a window in their umbra; -1: none
                                   */
    int sun_umbra;                /* the same for a sun */
    int hint; /* an occluder to test first for the next light, or -1; afterwards the one that hid
                 all */
};

static inline double shadow_height(const struct shadow_plane *plane, struct vec3 point)
{
    return vec3_dot(plane->normal, point) - plane->dist;
}

/* In luxel coordinates. */
struct shadow_window {
    double s0, t0, s1, t1;
};

#endif
