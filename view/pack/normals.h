/* Normals of vertices, for shaders that reflect and vertices that move. */
#ifndef VIEW_PACK_NORMALS_H
#define VIEW_PACK_NORMALS_H

#include "common/core/bytes.h"

/* Sets the smooth normals of some triangles, which are one surface. `positions` has 9 numbers of
 * each triangle of the mesh, `normals` an entry for each; `list` names those of the surface. */
void view_normals_of(const float *positions, const uint32_t *list, size_t count,
                     float (*normals)[3][3]);

/* Appends a normal as two bytes with sign, places on an octahedron that is folded to a square: 127
 * is 1. None, of length 0, is up. */
void view_normal_put(const float normal[3], struct bytes *out);

#endif
