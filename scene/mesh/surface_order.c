#include "scene/mesh/surface_order.h"

#include "common/core/array.h"

void surface_order_make(const struct mesh *mesh, struct surface_order *out)
{
    size_t surfaces = arrlenu(mesh->surfaces), count = arrlenu(mesh->triangles);
    *out = (struct surface_order){.first = memory_zalloc(surfaces + 2, sizeof *out->first)};
    arrsetlen(out->triangles, count);
    for (size_t i = 0; i < count; i++)
        out->first[mesh->triangles[i].surface + 2]++;
    for (size_t i = 0; i <= surfaces; i++)
        out->first[i + 1] += out->first[i];
    for (size_t i = 0; i < count; i++)
        out->triangles[out->first[mesh->triangles[i].surface + 1]++] = (uint32_t)i;
}

void surface_order_free(struct surface_order *order)
{
    arrfree(order->triangles);
    memory_free(order->first);
}
