/* The planes of a map, without duplicates, in pairs: i and i ^ 1 are each other's opposite. The
 * positive plane of an axial pair comes first; in other pairs the one requested first. */
#ifndef VBSP_CSG_PLANE_SET_H
#define VBSP_CSG_PLANE_SET_H

#include "common/geom/plane.h"

struct plane_set_cell;

struct plane_set {
    struct plane *planes;   /* stb_ds array */
    enum plane_type *types; /* stb_ds array, one per plane */
    struct plane_set_cell *cells;
    bool snap_axial; /* round the distances of axial sides to whole units */
    double limit;    /* world limit along an axis; 0: WORLD_LIMIT */
};

/* The effective world limit. */
double plane_set_limit(const struct plane_set *set);

/* Returns the number of the plane: an existing one within EPSILON_PLANE_*, or a new pair. A normal
 * within those tolerances of an axis is snapped to it, and its distance to a whole number. Numbers
 * depend only on the order of the calls. */
int plane_set_find(struct plane_set *set, struct vec3 normal, double dist);

/* From the three points of a side; axial planes take their distance from the points. -1 if the
 * points are collinear or not finite. */
int plane_set_from_points(struct plane_set *set, const struct vec3 points[3]);
/* The same with a distance near a whole number snapped to it, for slopes too. */
int plane_set_from_turned_points(struct plane_set *set, const struct vec3 points[3]);

/* The plane of a side that moves by `move`: that of plane_set_from_points, translated. */
int plane_set_moved(struct plane_set *set, int plane, struct vec3 move);
void plane_set_free(struct plane_set *set);

#endif
