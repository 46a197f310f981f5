/* Internal: light as colours of vertices. Triangles are split until their edges are no longer than
 * a step, each edge in the same places whichever of its triangles is split. */
#ifndef EXPORT_BAKE_VERTICES_H
#define EXPORT_BAKE_VERTICES_H

#include "export/bake/bake.h"

/* Sets a step of 0. Fails (reported) when the map would have too many triangles. */
NODISCARD enum status bake_vertices_fit(struct bake *bake);

/* A corner of a part of a triangle, by the weights of its corners. */
struct bake_corner {
    struct vec3 point; /* in the map */
    double weights[3];
};

typedef void bake_take(void *context, const struct bake_corner corners[3]);

/* Passes on the parts of a triangle of the mesh, whose corners keep their order. */
void bake_split(const struct bake *bake, uint32_t triangle, bake_take *take, void *context);

/* The colour of a corner, as glTF has it: linear, 0 .. 1, a factor for that of the material. */
void bake_corner_light(const struct bake *bake, uint32_t triangle, const struct bake_corner *corner,
                       float out[3]);

#endif
