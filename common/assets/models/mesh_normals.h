/* Internal to the readers of mesh models: judges the normals of a file by its triangles, and
 * computes them by smoothing groups. */
#ifndef ASSETS_MODELS_MESH_NORMALS_H
#define ASSETS_MODELS_MESH_NORMALS_H

#include "common/assets/models/mesh_model.h"

struct mesh_triangle {
    struct mesh_vertex corners[3]; /* clockwise seen from the front */
    int32_t points[3];             /* numbers of points: corners of the same one meet */
    uint32_t groups;               /* smoothing groups, a bit each; 0: none */
    const char *shader;
};

/* Removes normals (0 0 0) that contradict the triangles of an object: those that point away from,
 * or along, all triangles that share the point with the same normal; all of an object in which
 * they do so for half of the corners. One that points up along upright triangles is kept, since
 * plants are lit from above so. Then, if any triangle has smoothing groups, gives corners without a
 * normal the mean of the triangles around its position that share a group, weighted by area. Adds
 * to the counts. */
void mesh_normals_settle(struct mesh_triangle *triangles, size_t count,
                         struct mesh_normal_counts *counts);

#endif
