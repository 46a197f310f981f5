/* Patches: grids of control points of quadratic Bezier pieces, three by three points each.
 *
 * The engine bends them itself, by how near the viewer is, and builds what they collide with from
 * the same control points; a compiler gives the points and tells which patches go together. */
#ifndef VBSP_QUAKE3_PATCHES_PATCH_H
#define VBSP_QUAKE3_PATCHES_PATCH_H

#include "common/assets/assets.h"
#include "vbsp/level/level.h"
#include "vbsp/target/quake3/surfaces/surface.h"
#include "vbsp/vbsp.h"

/* Units that a mesh may stray from its curve, where neither map nor shader says. */
#define PATCH_SUBDIVISIONS 8.0

enum { PATCH_MAX_POINTS = 31 }; /* a row or a column, that the engine takes */

/* A patch as a surface: points less `origin`, texture coordinates, unit normals (both cross
 * products of the surface: forwards along the columns, then along the rows), white. The rest of
 * *out is zeroed, but for shader, where, fog -1, lightmapped (by the shader) and lod (its own
 * points' bounds). False when it is none: reported, dropped. V430 sizes that are even, below 3 or
 * above 31; V431 all points in a line, or one point. */
bool patch_surface(const struct map_patch *patch, const struct shader *shader, struct vec3 origin,
                   const struct diag_where *where, struct diag *diag, struct draw_surface *out);

/* Gives all patches among `count` surfaces of one model the bounds of their group: those with
 * control points within a unit of each other, over any number of others, so that they are drawn in
 * one degree of detail. */
void patch_group_lod(struct draw_surface *surfaces, size_t count);

/* A patch as triangles (SURFACE_MESH) that stay within `subdivisions` units of the curves along
 * rows and columns; 0: within what its shader says, else PATCH_SUBDIVISIONS. What else the surface
 * says is kept. Rows and columns of points that are on the straight way between others are left
 * out. */
void patch_to_mesh(const struct draw_surface *patch, double subdivisions, struct draw_surface *out);

/* --- patches that are drawn as triangles, and joined with what is around them --- */

/* Whether -patchmeta or the key _patchMeta of the patch's entity wants it. Keys count before the
 * option; what is not drawn stays a patch. */
bool patch_meta_wanted(const struct vbsp_options *options, const struct entity *keys,
                       const struct draw_surface *patch);

/* Appends the patch's triangles, and, where it is solid, the patch itself with a solid shader that
 * is not drawn, for bodies to collide with. How near the triangles are to the curve:
 * _patchSubdivide of the entity, else the shader's, else -subdivisions, in units; by _patchQuality
 * times nearer. Consumes the patch. */
void patch_meta_add(const struct vbsp_options *options, const struct entity *keys,
                    struct assets *assets, struct draw_surface *patch, struct draw_surface **out);

#endif
