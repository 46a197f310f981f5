/* The tolerances of the geometry, in map units, and why each is what it is. */
#ifndef GEOM_EPSILON_H
#define GEOM_EPSILON_H

/* Two planes are one when their normals and distances are this near: finer than the decimals that
 * editors write, coarser than what is lost in three rounded points. */
#define EPSILON_PLANE_NORMAL 1e-5
#define EPSILON_PLANE_DIST   0.01

/* Clipping a brush's side by the brush's other planes: exact work on planes as drawn. */
#define EPSILON_BRUSH_CLIP 0.01

/* A point this near to a splitting plane lies on it: absorbs the rounding of off-grid brushes, so
 * that no sliver is cut from them. */
#define EPSILON_SPLIT 0.1

/* Portals are cut more finely than brushes: what is lost here would be a crack to see through. */
#define EPSILON_PORTAL 0.001

/* Vertices of the finished faces this near are one vertex. */
#define EPSILON_WELD 0.1

/* A vertex this near to another face's edge splits that edge. */
#define EPSILON_TJUNCTION 0.25

/* Two unit vectors that point the same way: coplanar merging, colinear edges. */
#define EPSILON_EQUAL 0.001

/* A winding edge shorter than this does not count: such windings have no area worth having. */
#define EPSILON_EDGE 0.2

/* Less than this is what arithmetic left of nothing: where two answers hang on the sign of a
 * distance, it counts as none. */
#define EPSILON_NOISE 1e-6

/* World coordinates beyond this do not fit the formats. */
#define WORLD_LIMIT 16384.0

/* The same of Quake 3, whose records are wide enough for any: its engine collides up to 65535, and
 * windings, which begin as squares of 65536 units around the middle of their plane, reach all that
 * is within this. */
#define WORLD_LIMIT_QUAKE3 32768.0

#endif
