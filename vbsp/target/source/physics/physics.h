/* What the physics engine collides with: a model's hulls and its text, for lump 29. */
#ifndef VBSP_SOURCE_PHYSICS_PHYSICS_H
#define VBSP_SOURCE_PHYSICS_PHYSICS_H

#include "common/geom/vec.h"
#include "vbsp/context.h"
#include "vbsp/tree/tree.h"

/* The world's static solids, one a mask, and its bodies of water. After the records of its leaves
 * and of its water are there. */
void physics_add_world(struct compile *compile);

/* Whether displacements are hulls in lump 29, and no virtual meshes: by the option, or because the
 * version of the file knows none. */
bool physics_has_no_meshes(const struct compile *compile);

/* The solid of a brush entity, whose model was the last to be written, while the portals of its
 * tree are there. */
void physics_add_model(struct compile *compile, int entity, struct tree *tree);

/* Writes the lump into the bsp. Fails when a solid could not be written (reported). */
NODISCARD enum status physics_finish(struct compile *compile);
void physics_maker_free(struct compile *compile);

/* displacement_hull.c: the convex hull around a displacement, by which the physics engine finds its
 * triangles. */

/* Appends the hull of side * side points, a row after the other, as lump 28 stores it
 * (docs/formats/physics.md). A flat one gets two faces, one of them a fan around a vertex inside.
 * False, and nothing appended, when there is none: the points lie on a line, the grid has more than
 * 81 of them, so that its numbers do not fit, or it is folded on itself in its plane. */
bool displacement_hull(const struct vec3 *points, int side, struct bytes *out);

/* Writes the lump with the hulls of all displacements, in their order. One without is reported
 * (DISPLACEMENT_HULL) and marked as such. Without virtual meshes there are none. After
 * displacements_find_allowed. */
void displacements_emit_hulls(struct compile *compile);

#endif
