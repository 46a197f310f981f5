/* Patches: grids of control points of quadratic Bezier patches, three by three points each.
 *
 * The engine tessellates them itself, depending on the viewer's distance, and builds their
 * collision from the same control points; the compiler writes the points and LOD groups. */
#ifndef VBSP_QUAKE3_PATCHES_PATCH_H
#define VBSP_QUAKE3_PATCHES_PATCH_H

#include "common/assets/assets.h"
#include "vbsp/level/level.h"
#include "vbsp/target/quake3/surfaces/surface.h"
#include "vbsp/vbsp.h"

/* Default maximum distance of a mesh from its curve, in units. */
#define PATCH_SUBDIVISIONS 8.0

enum { PATCH_MAX_POINTS = 31 }; /* per row or column, limit of the engine */

/* Makes a surface of a patch: points less `origin`, texture coordinates, unit normals (cross
 * products of the surface derivatives: columns, then rows), white. The rest of *out is zeroed,
 * except for shader, where, fog -1, lightmapped (by the shader) and lod (its own bounds). False if
 * it is invalid, which is reported: V430 sizes that are even, below 3 or above 31; V431 all points
 * on a line, or one point. */
bool patch_surface(const struct map_patch *patch, const struct shader *shader, struct vec3 origin,
                   const struct diag_where *where, struct diag *diag, struct draw_surface *out);

/* Sets the LOD bounds of patches among `count` surfaces of one model: patches with control points
 * within a unit of each other, transitively, form a group that is drawn with one level of detail.
 * */
void patch_group_lod(struct draw_surface *surfaces, size_t count);

/* Converts a patch to triangles (SURFACE_MESH) within `subdivisions` units of the curves along rows
 * and columns; 0: the value of its shader, else PATCH_SUBDIVISIONS. Other fields of the surface are
 * kept. Rows and columns of points that are on a straight line between others are dropped. */
void patch_to_mesh(const struct draw_surface *patch, double subdivisions, struct draw_surface *out);

/* --- patches drawn as triangles, and merged with surrounding surfaces --- */

/* True if -patchmeta or the key _patchMeta of the patch's entity asks for it. Keys take precedence
 * over the option; patches that are not drawn stay patches. */
bool patch_meta_wanted(const struct vbsp_options *options, const struct entity *keys,
                       const struct draw_surface *patch);

/* Appends the patch's triangles and, if it is solid, the patch itself with an invisible solid
 * shader for collision. The tolerance is _patchSubdivide of the entity, else the shader's, else
 * -subdivisions, in units, divided by _patchQuality. Consumes the patch. */
void patch_meta_add(const struct vbsp_options *options, const struct entity *keys,
                    struct assets *assets, struct draw_surface *patch, struct draw_surface **out);

#endif
