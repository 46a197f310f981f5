/* Curved receivers as grids: the triangles of a displacement (lumps 26 (displacements) and 33
 * (their vertices)), and those that others lay over patches and bent surfaces. */
#ifndef VRAD_SCENE_DISP_MESH_H
#define VRAD_SCENE_DISP_MESH_H

#include "common/bsp/bsp.h"
#include "common/core/arena.h"
#include "common/geom/vec.h"

/* A grid of vertices; vertex (row r, column c) is number r * columns + c. */
struct disp_mesh {
    int columns, rows; /* at least 2; of displacements 2^power + 1 */
    struct vec3 *points;
    struct vec3 *normals; /* unit; mean of the triangles around, by area */
};

/* The mesh of a face with a displacement. False, and nothing made, when its records are damaged. */
bool disp_mesh_build(const struct bsp *bsp, const struct bsp_face *face, struct arena *arena,
                     struct disp_mesh *out);

/* Gives rim vertices of several meshes that lie in one place the mean of their normals, so that no
 * seam shows where the meshes meet. */
void disp_mesh_blend(struct disp_mesh *const *meshes, size_t count);

int disp_mesh_triangles(const struct disp_mesh *mesh); /* how many */

/* The three vertices of triangle `index`, clockwise from above. */
void disp_mesh_triangle(const struct disp_mesh *mesh, int index, int corners[3]);

/* The surface at column u, 0 .. columns - 1, and row v, 0 .. rows - 1, and its normal. */
struct vec3 disp_mesh_at(const struct disp_mesh *mesh, double u, double v, struct vec3 *normal);

#endif
