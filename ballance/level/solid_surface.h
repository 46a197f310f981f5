/* The surface of a solid: its triangles by plane, and by the texture that covers them; and convex
 * bodies, which such planes cut in two. */
#ifndef BALLANCE_LEVEL_SOLID_SURFACE_H
#define BALLANCE_LEVEL_SOLID_SURFACE_H

#include "ballance/level/mesh_shells.h"
#include "common/core/arena.h"
#include "common/geom/winding.h"

/* --- convex bodies of polygons --- */

/* A plane by three points on it; its normal is (p0 - p1) x (p2 - p1). */
struct drawn_plane {
    struct plane plane;
    struct vec3 points[3];
};

struct cell_side {
    struct drawn_plane drawn; /* out of the body */
    struct winding *winding;
};

/* Windings are in an arena, and immutable. */
struct convex_cell {
    struct cell_side *sides; /* stb_ds array */
};

/* Points within this of a plane are on it: they do not cut. */
#define CELL_EPSILON 2e-3

void cell_box(const struct bounds *bounds, struct arena *arena, struct convex_cell *out);
void cell_free(struct convex_cell *cell);

/* Cuts the body. A part without volume has no sides. Either may be NULL. */
void cell_cut(const struct convex_cell *cell, const struct drawn_plane *by, struct arena *arena,
              struct convex_cell *front, struct convex_cell *back);

double cell_volume(const struct convex_cell *cell);
struct vec3 cell_middle(const struct convex_cell *cell); /* a point within */

/* How a texture lies: coordinates in images are dot(point, row) + shift. */
struct texture_mapping {
    int material; /* of the BM file; -1: none */
    struct vec3 rows[2];
    double shifts[2];
    double error; /* of the coordinates of the triangles */
};

struct surface_plane {
    struct drawn_plane drawn; /* out of the solid */
    int *triangles;           /* stb_ds array: of the mesh, the largest first */
};

struct solid_surface {
    const struct placed_mesh *mesh;
    const int *triangles;             /* stb_ds array, borrowed */
    struct surface_plane *planes;     /* stb_ds array */
    struct texture_mapping *mappings; /* stb_ds array */
    int *mapping_of;                  /* of each triangle of the mesh; -1: none */
};

/* Sorts the triangles. Returns false, with nothing to free, when there are too many planes or
 * mappings. */
bool solid_surface_make(const struct placed_mesh *mesh, const int *triangles,
                        struct solid_surface *out);
void solid_surface_free(struct solid_surface *surface);

/* Coordinates that differ by whole images are the same. Within this the mapping of two triangles
 * is. */
#define MAPPING_TOLERANCE 1e-4

/* Sets the mapping that a triangle's coordinates give, with the material. */
void mapping_of_triangle(const struct placed_mesh *mesh, const struct placed_triangle *triangle,
                         struct texture_mapping *out);

/* Returns true for a triangle narrower than what planes are exact to, on both of its long edges. */
bool is_thin_triangle(const struct placed_mesh *mesh, const struct placed_triangle *triangle);

#endif
