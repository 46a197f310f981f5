/* A convex body of polygons, which planes cut in two. */
#ifndef BALLANCE_LEVEL_CONVEX_CELL_H
#define BALLANCE_LEVEL_CONVEX_CELL_H

#include "common/core/arena.h"
#include "common/geom/winding.h"

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

struct drawn_plane drawn_plane_flip(const struct drawn_plane *drawn);

#endif
