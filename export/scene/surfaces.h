/* Internal: the surfaces of the world and of brush entities as meshes. */
#ifndef EXPORT_SCENE_SURFACES_H
#define EXPORT_SCENE_SURFACES_H

#include "common/geom/transform.h"
#include "export/scene/materials.h"

/* Where triangles of the mesh lie: sorted by their surfaces. */
struct surface_order {
    uint32_t *triangles; /* stb_ds array */
    size_t *first;       /* of each surface, and the end; from memory_alloc */
};

void surface_order_make(const struct mesh *mesh, struct surface_order *out);
void surface_order_free(struct surface_order *order);

/* Where a brush entity is. */
struct transform export_entity_place(const struct render *render, int entity);

/* Adds the surfaces of all entities that have some, and the world's, each as a mesh in the axes of
 * its entity, and names them in the nodes, which are one per entity. */
void export_surfaces(struct material_builder *materials, const struct surface_order *order);

/* Adds the sky as a mesh, and returns its number, -1: none. */
int export_sky(struct material_builder *materials);

/* The place of a corner on its page of light. */
void export_page_place(const struct light_atlas *atlas, int block, const float st[2], float out[2]);

#endif
