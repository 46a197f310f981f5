/* T-junctions: if a corner of one surface lies on another's edge, it is added to that edge, or
 * pixels of the background would show through. */
#ifndef VBSP_QUAKE3_SURFACES_TJUNCTIONS_H
#define VBSP_QUAKE3_SURFACES_TJUNCTIONS_H

#include "vbsp/target/quake3/surfaces/surface.h"

/* A corner this close to an edge splits it, in units. */
#define TJUNCTION_NEAR 0.125

/* Fixes the T-junctions of `count` surfaces of one model. Polygons (SURFACE_PLANAR without indices)
 * get points in their outlines, triangles (planar ones and meshes with indices) are split. Surfaces
 * with no_tjunctions and flares are unchanged and add no corners; patches are unchanged, and the
 * ends of the curves of their borders are corners. Independent of the order of the surfaces.
 * Corners within EPSILON_WELD are welded; a surface without area is left without vertices. Returns
 * the number of points added. */
size_t surfaces_fix_tjunctions(struct draw_surface *surfaces, size_t count, int threads);

#endif
