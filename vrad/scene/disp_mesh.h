/* Curved receivers as grids: displacements (lumps 26 and 33), Quake 3 patches and curved
 * surfaces. */
#ifndef VRAD_SCENE_DISP_MESH_H
#define VRAD_SCENE_DISP_MESH_H

#include "common/bsp/bsp.h"
#include "common/core/arena.h"
#include "common/geom/vec.h"

/* A grid of vertices; vertex (row r, column c) is number r * columns + c. */
struct disp_mesh {
    int columns, rows; /* at least 2; of displacements 2^power + 1 */
    struct vec3 *points;
    struct vec3 *normals; /* unit; area-weighted mean of the adjacent triangles */
};

/* Builds the mesh of a displacement face. False, and nothing made, when its records are invalid. */
bool disp_mesh_build(const struct bsp *bsp, const struct bsp_face *face, struct arena *arena,
                     struct disp_mesh *out);

/* Averages the normals of border vertices of several meshes at equal positions, so that no seam
 * shows. */
void disp_mesh_blend(struct disp_mesh *const *meshes, size_t count);

int disp_mesh_triangles(const struct disp_mesh *mesh); /* number of triangles */

/* The three vertices of triangle `index`, clockwise from above. */
void disp_mesh_triangle(const struct disp_mesh *mesh, int index, int corners[3]);

/* The surface at column u, 0 .. columns - 1, and row v, 0 .. rows - 1, and its normal. */
struct vec3 disp_mesh_at(const struct disp_mesh *mesh, double u, double v, struct vec3 *normal);

#endif
