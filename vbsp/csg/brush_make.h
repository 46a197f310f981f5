/* Makes brushes from the level's solids: planes, windings, texinfo, bevels; and locates them for
 * diagnostics. */
#ifndef VBSP_CSG_BRUSH_MAKE_H
#define VBSP_CSG_BRUSH_MAKE_H

#include "vbsp/context.h"

/* True if a side has the contents of an origin brush. */
bool solid_is_origin(struct compile *compile, const struct map_solid *solid);
bool solid_has_displacement(const struct map_solid *solid);

/* Makes the brush of a solid whose entity has the given origin, in the arena of the compile, with
 * `number` -1 and without contents or bevels; NULL, and reported, when its volume is invalid. Adds
 * planes and texinfo to the sets. */
struct map_brush *brush_make(struct compile *compile, int entity, const struct map_solid *solid,
                             struct vec3 origin);

/* Sets the windings of all sides but bevels, and the bounds, from the planes. Returns the number of
 * sides with a winding. */
int brush_add_windings(struct compile *compile, struct map_brush *brush);

/* Adds bevels to a brush that collides. */
void brush_finish(struct compile *compile, struct map_brush *brush);

/* Only the bounds of the solid, without texinfo. False if its volume is invalid. */
bool solid_bounds(struct compile *compile, int entity, const struct map_solid *solid,
                  struct bounds *out);

/* Contents that can be seen or block sight. */
enum {
    CONTENTS_SUBSTANCE = CONTENTS_SOLID | CONTENTS_WINDOW | CONTENTS_AUX | CONTENTS_GRATE |
                         CONTENTS_SLIME | CONTENTS_WATER | CONTENTS_BLOCKLOS | CONTENTS_OPAQUE,
};

/* True if the brush only collides: nothing of it is drawn or blocks light. */
bool brush_is_clip(const struct map_brush *brush);
/* For clip brushes of the world: no side splits the tree or makes a face. */
void brush_leave_tree(struct map_brush *brush);

/* Locates a brush or side (may be NULL) for diagnostics. */
struct diag_where brush_where(const struct compile *compile, const struct map_brush *brush,
                              const struct brush_side *side);

/* The brushes of an entity with (or without) any bit of `mask` in their contents, as an stb_ds
 * array; the bounds of a list of brushes. */
int *compile_select_brushes(const struct compile *compile, int entity, int mask, bool with);
struct bounds compile_brushes_bounds(const struct compile *compile, const int *brushes);
/* The bounds of the world's brushes; of a world without any, those of its displacements and of the
 * models in it. */
struct bounds compile_world_bounds(const struct compile *compile);

double map_brush_volume(const struct plane_set *planes, const struct map_brush *brush);

/* --- coplanar_snap.c --- */

/* Coplanar snapping.
 *
 * Walls off the grid meet with tiny gaps and overlaps. As separate planes they diverge: a tiny gap
 * at the walls becomes a wedge farther away that the tree cuts out, and a leaf as wide as the walls
 * and as thin as the gap would leak between them. */

/* Moves each side whose points all lie within EPSILON_PLANE_DIST of the plane of a wider side, or
 * of its back, to that plane, and rebuilds the windings. Lump records keep the planes as drawn.
 * After load_map. */
void snap_coplanar_sides(struct compile *compile);

#endif
