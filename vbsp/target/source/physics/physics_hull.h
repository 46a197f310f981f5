/* Convex hulls for physics: from the polygons of a brush to ledges of a solid. */
#ifndef VBSP_SOURCE_PHYSICS_PHYSICS_HULL_H
#define VBSP_SOURCE_PHYSICS_PHYSICS_HULL_H

#include "common/bsp/lumps/physics.h"
#include "common/geom/winding.h"

/* A polygon of a hull, in map units, clockwise from outside. */
struct hull_face {
    const struct winding *winding;
    int material; /* of the model's materialtable, from 1; or 0 */
};

struct hull;
struct hull_point_cell;

/* A solid under construction; empty if zero-initialised. Its points are the distinct points of all
 * hulls. Nodes and properties of the whole are set by hull_set_finish. */
struct hull_set {
    struct physics_solid solid;
    double volume;                 /* of all hulls, in cubic units */
    struct hull_point_cell *known; /* hash map: points by position */
};

/* True if one more hull of any size fits the limits of a solid. */
bool hull_set_has_room(const struct hull_set *set);

/* The convex hull of the faces' corners; corners within 0.01 units are merged. NULL when it has no
 * volume or too many triangles for a ledge. Thread-safe. */
struct hull *hull_make(const struct hull_face *faces, int count);
/* Adds a hull and frees it. */
void hull_set_add_hull(struct hull_set *set, struct hull *hull, int brush);

/* Makes and adds a hull. False, and nothing added, if it is invalid. */
bool hull_set_add(struct hull_set *set, const struct hull_face *faces, int count, int brush);

/* Adds a flat hull of both sides of a triangle. False, and nothing added, if it is too narrow to
 * have a normal. */
bool hull_set_add_triangle(struct hull_set *set, const struct vec3 corners[3], int material,
                           int brush);

/* physics_mass.c, physics_tree.c: computes mass centre, inertia and so on, and the tree. At least
 * one hull is required. */
void hull_set_finish(struct hull_set *set);
void hull_set_free(struct hull_set *set);

/* Sets mass_centre, inertia, radius and deviation. */
void physics_solid_weigh(struct physics_solid *solid);
/* Sets drag: the fraction of the box that the hulls cover, seen along each axis of the map. */
void physics_solid_measure_drag(struct physics_solid *solid);
/* Rebuilds the tree, whose leaves are the ledges. */
void physics_solid_make_tree(struct physics_solid *solid);

/* Converts a point of the map to file coordinates in metres. */
#define PHYSICS_METRES_PER_UNIT 0.0254
void physics_to_metres(struct vec3 point, float out[3]);

#endif
