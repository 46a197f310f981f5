/* The convex hull around a displacement, by which the physics engine finds its triangles. */
#ifndef VBSP_SOURCE_PHYSICS_DISPLACEMENT_HULL_H
#define VBSP_SOURCE_PHYSICS_DISPLACEMENT_HULL_H

#include "vbsp/target/source/displacements/displacement.h"

/* Appends the hull of side * side points, a row after the other, as lump 28 stores it
 * (docs/formats/physics.md). A flat one gets two faces, one of them a fan around a vertex inside.
 * False, and nothing appended, when there is none: the points lie on a line, the grid has more than
 * 81 of them, so that its numbers do not fit, or it is folded on itself in its plane. */
bool displacement_hull(const struct vec3 *points, int side, struct bytes *out);

/* Writes the lump with the hulls of all displacements, in their order. One without is reported
 * (DISPLACEMENT_HULL) and marked as such. Without
 * virtual meshes there are none. After displacements_find_allowed. */
void displacements_emit_hulls(struct compile *compile);

#endif
