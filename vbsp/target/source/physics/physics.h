/* Collision models: hulls and key-value text per model, for lump 29. */
#ifndef VBSP_SOURCE_PHYSICS_PHYSICS_H
#define VBSP_SOURCE_PHYSICS_PHYSICS_H

#include "common/geom/vec.h"
#include "vbsp/context.h"
#include "vbsp/tree/tree.h"

struct displacement;

/* Adds the world's static solids, one per mask, and its bodies of water. After the records of its
 * leaves and of its water are written. */
void physics_add_world(struct compile *compile);

/* True if displacements are hulls in lump 29 instead of virtual meshes: by the option, because the
 * version of the file does not support meshes, or because one displacement has too many vertices
 * for a mesh. The engine makes meshes of all displacements of a map or of none. */
bool physics_has_no_meshes(const struct compile *compile);

/* Adds the solid of a brush entity, whose model was written last, while the portals of its tree
 * exist. */
void physics_add_model(struct compile *compile, int entity, struct tree *tree);

/* Writes the lump to the bsp. Fails when a solid could not be written (reported). */
NODISCARD enum status physics_finish(struct compile *compile);
void physics_maker_free(struct compile *compile);

/* displacement_hull.c: the convex hull around a displacement, which the physics engine uses as
 * bounding volume of its triangles. */

/* Appends the hull of side * side points, in rows, as stored in lump 28 (docs/formats/physics.md).
 * A flat one gets two faces, one of them a fan around an inner vertex. False, and nothing appended,
 * if it has none: the points are collinear, the grid has more than 81 points, so that indices
 * overflow, or it is folded within its plane. */
bool displacement_hull(const struct vec3 *points, int side, struct bytes *out);

/* Reports a displacement that nothing collides with (DISPLACEMENT_HULL). */
void physics_report_no_hull(const struct compile *compile, const struct displacement *displacement);

/* Writes the lump with the hulls of all displacements, in their order. One without a hull is
 * reported (DISPLACEMENT_HULL) and marked as such. The lump has no bytes without virtual meshes.
 * After displacements_find_allowed. */
void displacements_emit_hulls(struct compile *compile);

#endif
