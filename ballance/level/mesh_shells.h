/* The parts of a mesh's surface: those that enclose a volume, and the others. */
#ifndef BALLANCE_LEVEL_MESH_SHELLS_H
#define BALLANCE_LEVEL_MESH_SHELLS_H

#include "ballance/level/placed_mesh.h"

/* A solid: the volume that a closed shell encloses, less that of the cavities in it. */
struct mesh_shell {
    int *triangles; /* stb_ds array: of the shell and its cavities */
    double volume;
    struct bounds bounds;
};

struct mesh_shells {
    struct mesh_shell *solids; /* stb_ds array, in the order of their first triangles */
    int *open;                 /* stb_ds array of the other triangles, in order */
    size_t inside_out;         /* of those, the ones that enclose a volume but look into it */
    size_t dropped; /* triangles that another one has on the same vertices, or within a solid */
};

/* Finds the parts by their edges: a part is closed when each edge is met as often in one direction
 * as in the other. Where several parts meet in an edge, those next to the same piece of the inside
 * belong together. `work` is what is left, in triangles to look at: when it is used up, cavities
 * and walls within are not found. Free with mesh_shells_free. */
void mesh_shells_find(const struct placed_mesh *mesh, double *work, struct mesh_shells *out);
void mesh_shells_free(struct mesh_shells *shells);

/* Returns how often the triangles enclose the point: 1 within a solid, 0 outside. */
double mesh_winding_number(const struct placed_mesh *mesh, const int *triangles, struct vec3 p);

#endif
