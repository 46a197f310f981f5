/* Triangles for faces that a fan cannot draw. */
#ifndef VBSP_FACES_PRIMITIVES_H
#define VBSP_FACES_PRIMITIVES_H

#include <stdbool.h>

#include "common/geom/vec.h"

/* The number of the first point that can head a fan: the outline bends at it and at both of its
 * neighbours, so that no triangle of the fan is flat. -1: there is none. */
int fan_start(const bool *bends, int count);

/* Triangles that cover a convex outline with points on its edges, none of them flat: three numbers
 * of points each, in the outline's sense, appended to *indices (a stb_ds array). Returns how many
 * triangles; count - 2 but for outlines without area. */
int triangulate_outline(const struct vec3 *points, int count, int **indices);

#endif
