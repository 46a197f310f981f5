/* Convex hulls for physics: from the polygons around a brush to ledges of a solid. */
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

/* A solid while it grows. Zero-initialised it is empty; its points are those of all hulls, each
 * place once. The nodes and what is said of the whole are missing until hull_set_finish. */
struct hull_set {
    struct physics_solid solid;
    double volume;                 /* of all hulls, in cubic units */
    struct hull_point_cell *known; /* hash map: points by place */
};

/* Whether one more hull of any size will fit the limits of a solid. */
bool hull_set_has_room(const struct hull_set *set);

/* The convex hull of the faces' corners; corners within 0.01 units are one. NULL when it has no
 * volume or more triangles than a ledge may. Touches nothing else: hulls can be made in parallel.
 */
struct hull *hull_make(const struct hull_face *faces, int count);
/* Adds a hull and frees it. */
void hull_set_take(struct hull_set *set, struct hull *hull, int brush);
void hull_free(struct hull *hull);

/* Both at once. False, and nothing added, when there is no such hull. */
bool hull_set_add(struct hull_set *set, const struct hull_face *faces, int count, int brush);

/* physics_mass.c, physics_tree.c: the centre, the inertia and the like; the tree. There is a hull.
 */
void hull_set_finish(struct hull_set *set);
void hull_set_free(struct hull_set *set);

/* Sets mass_centre, inertia, radius and deviation. */
void physics_solid_weigh(struct physics_solid *solid);
/* Sets drag: how much of the box the hulls cover, seen along each axis of the map. */
void physics_solid_measure_drag(struct physics_solid *solid);
/* Makes the tree anew; the leaves are the ledges. */
void physics_solid_make_tree(struct physics_solid *solid);

/* A place in the file (metres) of one in the map, and how long a unit is. */
#define PHYSICS_METRES_PER_UNIT 0.0254
void physics_place(struct vec3 point, float out[3]);

#endif
