/* The triangles of a mesh by their surface. */
#ifndef SCENE_MESH_SURFACE_ORDER_H
#define SCENE_MESH_SURFACE_ORDER_H

#include "scene/mesh/mesh.h"

struct surface_order {
    uint32_t *triangles; /* stb_ds array */
    size_t *first;       /* in triangles: of each surface, and the count of triangles behind */
};

/* Those of a surface keep the order of the mesh. */
void surface_order_make(const struct mesh *mesh, struct surface_order *out);
void surface_order_free(struct surface_order *order);

static inline size_t surface_order_count(const struct surface_order *order, size_t surface)
{
    return order->first[surface + 1] - order->first[surface];
}

#endif
