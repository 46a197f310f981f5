/* The mesh of a BM object in map space: triangles with welded vertices. */
#ifndef BALLANCE_LEVEL_PLACED_MESH_H
#define BALLANCE_LEVEL_PLACED_MESH_H

#include <string.h>

#include "ballance/bmx/bmx.h"
#include "common/geom/plane.h"

#define BMX_MAP_SCALE  16.0 /* map units per BM unit */
#define MESH_TOLERANCE 0.01 /* of planes, against the vertices that lie on them */

/* Vertices beyond this are left where they are, since no brush can be there. */
#define MESH_REACH 32000.0
bool placed_in_reach(struct vec3 p);

struct placed_triangle {
    int vertex[3];   /* clockwise seen from the front */
    double uv[3][2]; /* in images, v grows downwards */
    struct vec3 normals[3];
    struct plane plane; /* out of the solid; meaningless when the area is 0 */
    double area;
    int material;  /* of the BM file; -1: none */
    uint32_t face; /* of the mesh */
};

struct placed_mesh {
    struct vec3 *vertices;             /* stb_ds array */
    struct placed_triangle *triangles; /* stb_ds array; without the faces counted below */
    size_t collapsed;                  /* faces with corners that are the same vertex */
    double moved;  /* the greatest distance to a whole number that a coordinate was set to */
    bool in_reach; /* otherwise there are no triangles */
};

/* From BM to map space, and back. */
struct vec3 bmx_to_map(const float xyz[3]);

/* Returns the position in map space, as the matrix of an object places it. */
struct vec3 bmx_place(const float matrix[16], const float xyz[3]);

/* Returns true when the floats have the same bits. */
static inline bool bmx_same_floats(const float *a, const float *b, size_t count)
{
    return memcmp((const void *)a, (const void *)b, count * sizeof *a) == 0;
}

/* Returns the normal as the matrix of an object turns it. */
struct vec3 bmx_place_normal(const float matrix[16], const float xyz[3]);

/* Returns true when the matrix turns faces inside out, unless their corners are reversed. */
bool bmx_is_mirrored(const float matrix[16]);

/* Places the faces of a mesh with valid indices and finite numbers. Coordinates within a rounding
 * error of whole numbers become these, or within MESH_TOLERANCE when all of the mesh are. Free with
 * placed_mesh_free. */
void placed_mesh_make(const struct bmx_mesh *mesh, const float matrix[16], struct placed_mesh *out);
void placed_mesh_free(struct placed_mesh *mesh);

/* Returns the greatest angle in whole degrees for which the normals of the mesh are the means of
 * those of triangles that meet at less; 0: they are those of the triangles; -1: there is none, or
 * it takes more than the work that is left, in triangles to look at. */
int placed_mesh_smoothing(const struct placed_mesh *mesh, double *work);

/* Returns the corner of a triangle. */
static inline struct vec3 placed_corner(const struct placed_mesh *mesh,
                                        const struct placed_triangle *triangle, int corner)
{
    return mesh->vertices[triangle->vertex[corner]];
}

#endif
