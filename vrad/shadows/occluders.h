/* What casts shadows, as convex bodies and polygons, and which of them stand between a lamp and a
 * part of a plane. */
#ifndef VRAD_SHADOWS_OCCLUDERS_H
#define VRAD_SHADOWS_OCCLUDERS_H

#include "vrad/scene/scene.h"

/* Most of a body. */
enum { SHADOW_SIDES = 16, SHADOW_CORNERS = 48, SHADOW_EDGES = 64 };

/* Between two corners and two sides of a body, by their numbers in it. */
struct shadow_ridge {
    unsigned char from, to, left, right; /* SHADOW_SIDES: no side */
};

/* A convex body with all its sides, or a convex polygon, whose one side is seen from both. */
struct shadow_body {
    int first_plane, first_corner, first_ridge;
    unsigned char plane_count, corner_count, ridge_count;
    bool closed;
    bool veil;       /* lets a part of the light through */
    float middle[3]; /* within */
};

/* Four boxes, side by side. */
struct shadow_node {
    float mins[3][4], maxs[3][4];
    int child[4]; /* a node; or ~body */
    int count;    /* of the boxes */
};

struct shadow_bodies {
    struct shadow_body *bodies; /* stb_ds arrays */
    float (*planes)[4];         /* outward unit normal and distance */
    float (*corners)[3];
    struct shadow_ridge *ridges;
    struct shadow_node *nodes; /* the first is the root; NULL: no bodies */
};

/* The triangles of the scene that block light, and its veils. Triangles that follow each other are
 * one polygon where they are a convex fan, and polygons that follow each other are one body where
 * they close a convex one; not in scenes of solid leaves. */
void shadow_bodies_build(const struct scene *scene, struct shadow_bodies *out);
/* The same of the sky. */
void shadow_skies_build(const struct scene *scene, struct shadow_bodies *out);
void shadow_bodies_free(struct shadow_bodies *bodies);

/* Fills the nodes. */
void shadow_tree_make(struct shadow_bodies *out);

/* The space between a point and a convex polygon: planes that face inwards (what lies within has
 * nx + ny + nz >= d), and the box around it. */
struct shadow_shaft {
    double planes[6][4];
    int plane_count;
    struct bounds box;
};

/* Calls for every body whose box may reach into the shaft, in an order that only the scene
 * decides, until the call returns false. */
typedef bool shadow_visit(void *context, int body);
void shadow_bodies_find(const struct shadow_bodies *bodies, const struct shadow_shaft *shaft,
                        shadow_visit *visit, void *context);

#endif
