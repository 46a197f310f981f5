/* Internal: normals of corners, from the triangles around them. */
#ifndef SCENE_MESH_SMOOTH_NORMALS_H
#define SCENE_MESH_SMOOTH_NORMALS_H

#include <stddef.h>
#include <stdint.h>

/* Sets the normals of `count` triangles of one surface, of 9 floats each, in their axes: at each
 * corner the mean of the triangles that meet there and are not bent by more than 60 degrees against
 * its own, weighted by area. Corners are clockwise seen from the front. */
void smooth_normals_of(const float *const *corners, size_t count, float (*normals)[3][3]);

#endif
