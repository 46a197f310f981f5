#include "common/core/array.h"
#include "common/diag/diag_json.h"
#include "export/gltf/json.h"

/* Adds an attribute, which begins at a member of the first vertex. */
static void add_attribute(struct gltf_buffer *buffer, const struct export_part *part,
                          const char *name, enum gltf_view view, const float *first,
                          json_t *attributes)
{
    size_t stride = sizeof *part->vertices / sizeof(float);
    int accessor = gltf_buffer_floats(buffer, view, first, arrlenu(part->vertices), stride);
    json_object_set_new(attributes, name, json_integer(accessor));
}

static json_t *primitive_of(const struct export_model *scene, const struct export_part *part,
                            struct gltf_buffer *buffer)
{
    const struct export_material *material = &scene->materials[part->material];
    const struct export_vertex *first = part->vertices;
    json_t *attributes = json_object(), *primitive = json_object();
    add_attribute(buffer, part, "POSITION", GLTF_POSITIONS, first->position, attributes);
    add_attribute(buffer, part, "NORMAL", GLTF_NORMALS, first->normal, attributes);
    add_attribute(buffer, part, "TEXCOORD_0", GLTF_TEXTURE, first->uv, attributes);
    if (material->page >= 0)
        add_attribute(buffer, part, "TEXCOORD_1", GLTF_PAGE, first->page, attributes);
    if (material->own_light)
        add_attribute(buffer, part, "_LIGHT", GLTF_LIGHT, first->light, attributes);
    if (material->coloured)
        add_attribute(buffer, part, "COLOR_0", GLTF_COLOUR, first->colour, attributes);
    if (material->second >= 0)
        add_attribute(buffer, part, "_BLEND", GLTF_BLEND, &first->blend, attributes);
    json_object_set_new(primitive, "attributes", attributes);
    json_object_set_new(
        primitive, "indices",
        json_integer(gltf_buffer_indices(buffer, part->indices, arrlenu(part->indices),
                                         arrlenu(part->vertices))));
    json_object_set_new(primitive, "material", json_integer(part->material));
    return primitive;
}

json_t *gltf_meshes(const struct export_model *scene, struct gltf_buffer *buffer)
{
    json_t *meshes = json_array();
    for (size_t i = 0; i < arrlenu(scene->meshes); i++) {
        const struct export_mesh *from = &scene->meshes[i];
        json_t *mesh = json_object(), *primitives = json_array();
        for (size_t k = 0; k < arrlenu(from->parts); k++)
            json_array_append_new(primitives, primitive_of(scene, &from->parts[k], buffer));
        json_object_set_new(mesh, "name", diag_json_text(from->name));
        json_object_set_new(mesh, "primitives", primitives);
        json_array_append_new(meshes, mesh);
    }
    return meshes;
}
