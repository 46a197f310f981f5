/* What casts shadows, as convex bodies and polygons, and which of them stand between a lamp and a
 * part of a plane. */
#ifndef VRAD_SHADOWS_OCCLUDERS_H
#define VRAD_SHADOWS_OCCLUDERS_H

#include "vrad/scene/scene.h"

/* Most of a body. */
enum { OCCLUDER_SIDES = 16, OCCLUDER_CORNERS = 48, OCCLUDER_EDGES = 64 };

/* Between two corners and two sides of a body, by their numbers in it. */
struct occluder_edge {
    unsigned char from, to, left, right; /* OCCLUDER_SIDES: no side */
};

/* A convex body with all its sides, or a convex polygon, whose one side is seen from both. */
struct occluder {
    int first_plane, first_corner, first_edge;
    unsigned char plane_count, corner_count, edge_count;
    bool closed;
    bool alpha;      /* lets a part of the light through */
    float middle[3]; /* within */
};

/* Four boxes, side by side. */
struct occluder_node {
    float mins[3][4], maxs[3][4];
    int child[4]; /* a node; or ~body */
    int count;    /* of the boxes */
};

struct occluders {
    struct occluder *all; /* stb_ds arrays */
    float (*planes)[4];   /* outward unit normal and distance */
    float (*corners)[3];
    struct occluder_edge *edges;
    struct occluder_node *nodes; /* the first is the root; NULL: no bodies */
};

/* The triangles of the scene that block light, and its veils. Triangles that follow each other are
 * one polygon where they are a convex fan, and polygons that follow each other are one body where
 * they close a convex one; not in scenes of solid leaves. */
void occluders_build(const struct scene *scene, struct occluders *out);
/* The same of the sky. */
void occluders_build_sky(const struct scene *scene, struct occluders *out);
void occluders_free(struct occluders *occluders);

/* Fills the nodes. */
void occluder_tree_build(struct occluders *out);

/* The space between a point and a convex polygon: planes that face inwards (what lies within has
 * nx + ny + nz >= d), and the box around it. */
struct occluder_shaft {
    double planes[6][4];
    int plane_count;
    struct bounds box;
};

/* Calls for every body whose box may reach into the shaft, in an order that only the scene
 * decides, until the call returns false. */
typedef bool occluder_visit(void *context, int occluder);
void occluders_find(const struct occluders *occluders, const struct occluder_shaft *shaft,
                    occluder_visit *visit, void *context);

#endif
