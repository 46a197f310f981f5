/* Internal: meshes in the making, and the surfaces of the world and of brush entities as such. */
#ifndef EXPORT_MODEL_SURFACES_H
#define EXPORT_MODEL_SURFACES_H

#include "common/geom/transform.h"
#include "export/model/materials.h"
#include "export/model/model.h"

/* --- meshes in the making: corners that are equal become one vertex --- */

struct part_row {
    int key, value;
};

struct corner_row {
    struct corner_key {
        int part;
        struct export_vertex vertex;
    } key;
    uint32_t value;
};

struct export_parts {
    struct export_part *parts; /* stb_ds array */
    struct part_row *by_material;
    struct corner_row *corners;
};

/* Appends the mesh to the scene and returns its number, -1 when it is empty; *builder is empty
 * afterwards. */
int export_parts_finish(struct export_parts *builder, const char *name, struct export_model *scene);

/* Where a brush entity is. */
struct transform export_entity_place(const struct map_scene *map, int entity);

/* Adds the surfaces of all entities that have some, and the world's, each as a mesh in the axes of
 * its entity, and names them in the nodes, which are one per entity. */
void export_surfaces(struct material_builder *materials);

/* Adds the sky as a mesh, and returns its number, -1: none. */
int export_sky(struct material_builder *materials);

/* Adds a triangle of the mesh, whose corners are in the other order here: with its place on the
 * image of baked light, or in parts with the colours of that. */
void export_triangle_add(const struct material_builder *materials, uint32_t triangle, int material,
                         const struct export_vertex corners[3], struct export_parts *parts);

/* The place of a corner on its page of light. */
void export_page_place(const struct light_atlas *atlas, int block, const float st[2], float out[2]);

#endif
