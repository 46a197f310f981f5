/* Tolerances of the geometry in map units, with the reason for each value. */
#ifndef GEOM_EPSILON_H
#define GEOM_EPSILON_H

/* Two planes are equal when their normals and distances are this close: finer than the decimals
 * that editors write, coarser than the error of three rounded points. */
#define EPSILON_PLANE_NORMAL 1e-5
#define EPSILON_PLANE_DIST   0.01

/* Clipping a brush side by the brush's other planes, which are exact as drawn. */
#define EPSILON_BRUSH_CLIP 0.01

/* A point this close to a splitting plane lies on it: absorbs the rounding of off-grid brushes, so
 * that they are not cut into slivers. */
#define EPSILON_SPLIT 0.1

/* Portals are cut more finely than brushes: a lost part would be a crack in the visibility. */
#define EPSILON_PORTAL 0.001

/* Vertices of the finished faces this close are welded. */
#define EPSILON_WELD 0.1

/* A vertex this close to another face's edge splits that edge. */
#define EPSILON_TJUNCTION 0.25

/* Two unit vectors with the same direction: coplanar merging, colinear edges. */
#define EPSILON_EQUAL 0.001

/* Winding edges shorter than this do not count: such windings have no significant area. */
#define EPSILON_EDGE 0.2

/* Smaller numbers are rounding errors: where a decision depends on the sign of a distance, they
 * count as zero. */
#define EPSILON_NOISE 1e-6

/* World coordinates beyond this do not fit the formats. */
#define WORLD_LIMIT 16384.0

/* Limit of Quake 3, whose records can hold any coordinate: its engine collides up to here. Windings
 * start as squares of 65536 units around the point of their plane that is closest to the origin:
 * those of slopes may end before (winding_is_cut_short). */
#define WORLD_LIMIT_QUAKE3 65535.0

#endif
