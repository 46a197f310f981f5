/* The triangles of a page, ordered by the way they are drawn. */
#ifndef VIEW_PACK_GEOMETRY_H
#define VIEW_PACK_GEOMETRY_H

#include "render/pack/light_atlas.h"
#include "view/pack/materials.h"

/* Adds the streams "vertices" (the layout: geometry.c), "indices" (32 bits), "surfaces" (of each
 * surface of the mesh its face, entity and prop, -1: none, and 1 for displacements and patches; 32
 * bits each) and "sky" (positions of triangles), and head.draws: rows of kind, material, two-sided,
 * first index, number of indices, and for blended ones the centre. */
void view_geometry_pack(const struct render *render, const struct light_atlas *atlas,
                        struct view_materials *materials, struct view_data *data);

#endif
