#include "export/gltf/buffer.h"

#include "common/core/array.h"
#include "common/diag/diag_json.h"
#include "common/geom/angle.h"

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

enum {
    LINEAR = 9729,
    LINEAR_MIPMAP_LINEAR = 9987,
    REPEAT = 10497,
    CLAMP_TO_EDGE = 33071,
    USUAL_SAMPLER = 0,
    PAGE_SAMPLER = 1,
};

/* Pages, and the image of baked light, are in one sampler, the textures of materials, which are
 * numbered as their images, in the other. */
static json_t *sampler(int min_filter, int wrap)
{
    json_t *sampler = json_object();
    json_object_set_new(sampler, "magFilter", json_integer(LINEAR));
    json_object_set_new(sampler, "minFilter", json_integer(min_filter));
    json_object_set_new(sampler, "wrapS", json_integer(wrap));
    json_object_set_new(sampler, "wrapT", json_integer(wrap));
    return sampler;
}

static bool is_page(const struct export_model *scene, size_t image)
{
    if ((int)image == scene->baked)
        return true;
    for (size_t i = 0; i < arrlenu(scene->pages); i++)
        if (scene->pages[i] == (int)image)
            return true;
    return false;
}

static void set_textures(const struct export_model *scene, json_t *root)
{
    json_t *samplers = json_array(), *textures = json_array();
    json_array_append_new(samplers, sampler(LINEAR_MIPMAP_LINEAR, REPEAT));
    json_array_append_new(samplers, sampler(LINEAR, CLAMP_TO_EDGE));
    for (size_t i = 0; i < arrlenu(scene->images); i++) {
        json_t *texture = json_object();
        json_object_set_new(texture, "sampler",
                            json_integer(is_page(scene, i) ? PAGE_SAMPLER : USUAL_SAMPLER));
        json_object_set_new(texture, "source", json_integer((json_int_t)i));
        json_array_append_new(textures, texture);
    }
    if (json_array_size(textures) > 0)
        json_object_set(root, "samplers", samplers);
    json_decref(samplers);
    gltf_set_list(root, "textures", textures);
}

static json_t *texture_info(int texture, int coordinates)
{
    json_t *info = json_object();
    json_object_set_new(info, "index", json_integer(texture));
    if (coordinates > 0)
        json_object_set_new(info, "texCoord", json_integer(coordinates));
    return info;
}

/* --- materials --- */

static json_t *surface_of(const struct export_material *from)
{
    json_t *surface = json_object();
    json_object_set_new(surface, "baseColorFactor", gltf_numbers(from->colour, 4));
    if (from->image >= 0)
        json_object_set_new(surface, "baseColorTexture", texture_info(from->image, 0));
    json_object_set_new(surface, "metallicFactor", gltf_number(0));
    json_object_set_new(surface, "roughnessFactor", gltf_number(1));
    return surface;
}

static json_t *extensions_of(const struct export_model *scene, const struct export_material *from)
{
    json_t *extensions = json_object();
    if (from->unlit)
        json_object_set_new(extensions, "KHR_materials_unlit", json_object());
    if (from->page >= 0 && scene->page_form == EXPORT_PAGES_PNG) {
        json_t *light = texture_info(scene->pages[from->page], 1);
        json_object_set_new(light, "intensity", gltf_number(PI * scene->light_range));
        json_object_set_new(extensions, "MOZ_lightmap", light);
    }
    return extensions;
}

static json_t *extras_of(const struct export_model *scene, const struct export_material *from)
{
    json_t *extras = json_object();
    if (from->page >= 0) {
        bool rgbm = scene->page_form == EXPORT_PAGES_RGBM;
        json_t *light = texture_info(scene->pages[from->page], 1);
        json_object_set_new(light, "encoding", json_string(rgbm ? "rgbm" : "srgb"));
        json_object_set_new(light, "range", gltf_number(scene->light_range));
        json_object_set_new(extras, "lightmap", light);
    }
    if (from->second >= 0) {
        json_t *second = texture_info(from->second, 0);
        json_object_set_new(second, "attribute", json_string("_BLEND"));
        json_object_set_new(extras, "blend", second);
    }
    return extras;
}

/* Sets an object unless it is empty; takes it. */
static void set_object(json_t *to, const char *name, json_t *object)
{
    if (json_object_size(object) > 0)
        json_object_set(to, name, object);
    json_decref(object);
}

static json_t *material_of(const struct export_model *scene, const struct export_material *from)
{
    static const char *const modes[] = {"OPAQUE", "MASK", "BLEND"};
    json_t *material = json_object();
    json_object_set_new(material, "name", diag_json_text(from->name));
    json_object_set_new(material, "pbrMetallicRoughness", surface_of(from));
    if (from->alpha != DRAW_OPAQUE)
        json_object_set_new(material, "alphaMode", json_string(modes[from->alpha]));
    if (from->two_sided)
        json_object_set_new(material, "doubleSided", json_true());
    set_object(material, "extensions", extensions_of(scene, from));
    set_object(material, "extras", extras_of(scene, from));
    return material;
}

void gltf_set_materials(const struct export_model *scene, json_t *root)
{
    json_t *materials = json_array();
    for (size_t i = 0; i < arrlenu(scene->materials); i++)
        json_array_append_new(materials, material_of(scene, &scene->materials[i]));
    gltf_set_list(root, "materials", materials);
    set_textures(scene, root);
}
