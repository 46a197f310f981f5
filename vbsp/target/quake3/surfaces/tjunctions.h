/* T-junctions: where a corner of one surface lies on another's edge, that edge gets the corner too,
 * or sparks of the background would show through along it. */
#ifndef VBSP_QUAKE3_SURFACES_TJUNCTIONS_H
#define VBSP_QUAKE3_SURFACES_TJUNCTIONS_H

#include "vbsp/target/quake3/surfaces/surface.h"

/* A corner this near to an edge splits it, in units. */
#define TJUNCTION_NEAR 0.125

/* Over `count` surfaces of one model. Polygons (SURFACE_PLANAR without indices) get points in their
 * outlines, triangles (planar ones and meshes with indices) are cut at theirs. Surfaces that are
 * no_tjunctions, flares and patches are left alone and give no corners. Does not depend on the
 * order of the surfaces. Corners within EPSILON_WELD become one; a surface that has no
 * area then is left without vertices. Returns the points that were put in. */
size_t surfaces_fix_tjunctions(struct draw_surface *surfaces, size_t count, int threads);

#endif
