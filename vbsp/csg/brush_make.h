/* From a solid of the source to a brush: planes, windings, texinfo, bevels; and where it is. */
#ifndef VBSP_CSG_BRUSH_MAKE_H
#define VBSP_CSG_BRUSH_MAKE_H

#include "vbsp/context.h"

/* Whether a side has the contents of an origin brush. */
bool solid_is_origin(struct compile *compile, const struct map_solid *solid);
bool solid_has_displacement(const struct map_solid *solid);

/* The brush of a solid whose entity stands at `origin`, in the arena of the compile, with `number`
 * -1, without contents and bevels; NULL when it has no sound volume, which is reported. Planes and
 * texinfo are added to the sets. */
struct map_brush *brush_make(struct compile *compile, int entity, const struct map_solid *solid,
                             struct vec3 origin);

/* Sets the windings of all sides but bevels, and the bounds, from the planes. Returns how many
 * sides have one. */
int brush_add_windings(struct compile *compile, struct map_brush *brush);

/* Gives a brush that is an obstacle its bevels. */
void brush_finish(struct compile *compile, struct map_brush *brush);

/* Only the box of the solid, without texinfo. False when it has no sound volume. */
bool solid_bounds(struct compile *compile, int entity, const struct map_solid *solid,
                  struct bounds *out);

/* Contents of a side that would block a body without being drawn, and contents that can be seen or
 * that stop a look. */
enum {
    CONTENTS_CLIP = CONTENTS_PLAYERCLIP | CONTENTS_MONSTERCLIP,
    CONTENTS_SUBSTANCE = CONTENTS_SOLID | CONTENTS_WINDOW | CONTENTS_AUX | CONTENTS_GRATE |
                         CONTENTS_SLIME | CONTENTS_WATER | CONTENTS_BLOCKLOS | CONTENTS_OPAQUE,
};

/* Nothing of it is drawn or stops light: it is only there for bodies. */
bool brush_is_clip(const struct map_brush *brush);
/* For clips of the world: no side splits its tree or makes a face. */
void brush_leave_tree(struct map_brush *brush);

/* Where a brush or side (or NULL) is, for diagnostics. */
struct diag_where brush_where(const struct compile *compile, const struct map_brush *brush,
                              const struct brush_side *side);

/* The brushes of an entity with these bits of `mask` in their contents, or without, as an stb_ds
 * array; the box around some. */
int *compile_select_brushes(const struct compile *compile, int entity, int mask, bool with);
struct bounds compile_brushes_bounds(const struct compile *compile, const int *brushes);

double map_brush_volume(const struct plane_set *planes, const struct map_brush *brush);

/* --- bevels.c --- */

/* Bevels: planes that touch a brush from outside, so that a box that slides along it does not
 * catch on its edges (boxes are tested against brushes by their planes alone). */

/* Puts the axial sides in the first six places, -x +x -y +y -z +z, where missing ones become
 * bevels; brushes that are no boxes get bevels along their slanted edges too. Replaces brush->sides
 * by an array in the arena. The sides must have windings, contents and texinfo. */
void brush_add_bevels(struct arena *arena, struct plane_set *planes, struct map_brush *brush);

/* --- coplanar_snap.c --- */

/* Sides of brushes that are meant to lie on one plane.
 *
 * Walls off the grid meet with gaps and overlaps of a hair. As planes they part: what is a hair at
 * the walls is a wedge some way off, so the tree would cut it out, and between the walls a leaf as
 * wide as they are and as thin as the gap would lead out of the map. */

/* Puts each side whose points all lie within EPSILON_PLANE_DIST of the plane of a wider side, or of
 * its back, on that plane, and gives the brushes their windings anew. Their records keep the planes
 * that were drawn. After load_map. */
void snap_coplanar_sides(struct compile *compile);

#endif
