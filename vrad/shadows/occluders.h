/* Occluders: convex bodies and polygons that cast shadows, and a tree to find those between a light
 * and a part of a plane. */
#ifndef VRAD_SHADOWS_OCCLUDERS_H
#define VRAD_SHADOWS_OCCLUDERS_H

#include "vrad/scene/scene.h"

/* Limits of a body. */
enum { OCCLUDER_SIDES = 16, OCCLUDER_CORNERS = 48, OCCLUDER_EDGES = 64 };

/* An edge between two corners and two sides of an occluder, by their numbers in it. */
struct occluder_edge {
    unsigned char from, to, left, right; /* OCCLUDER_SIDES: no side */
};

/* A closed convex body, or a two-sided convex polygon. */
struct occluder {
    int first_plane, first_corner, first_edge;
    unsigned char plane_count, corner_count, edge_count;
    bool closed;
    bool alpha;      /* partly transparent: alpha shadows */
    float middle[3]; /* a point inside */
};

/* Four boxes. */
struct occluder_node {
    float mins[3][4], maxs[3][4];
    int child[4]; /* a node; or ~occluder */
    int count;    /* number of boxes */
};

struct occluders {
    struct occluder *all; /* stb_ds arrays */
    float (*planes)[4];   /* outward unit normal and distance */
    float (*corners)[3];
    struct occluder_edge *edges;
    struct occluder_node *nodes; /* the first is the root; NULL: no occluders */
};

/* From the triangles of the scene that block light and its alpha-shadow triangles. Consecutive
 * triangles form a polygon if they are a convex fan, and consecutive polygons a body if they close
 * a convex one (never in scenes with solid leaves). */
void occluders_build(const struct scene *scene, struct occluders *out);
/* From the sky polygons of the scene. */
void occluders_build_sky(const struct scene *scene, struct occluders *out);
void occluders_free(struct occluders *occluders);

/* The space between a point and a convex polygon: planes that face inwards (inside nx + ny + nz >=
 * d), and its bounding box. */
struct occluder_shaft {
    double planes[6][4];
    int plane_count;
    struct bounds box;
};

/* Calls back for every occluder whose box may reach into the shaft, in a fixed order, until the
 * callback returns false. */
typedef bool occluder_visit(void *context, int occluder);
void occluders_find(const struct occluders *occluders, const struct occluder_shaft *shaft,
                    occluder_visit *visit, void *context);

#endif
