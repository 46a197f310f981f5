#include "export/gltf/gltf.h"

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/diag/codes/exports.def"
#include "common/diag/diag_json.h"
#include "export/gltf/buffer.h"
#include "export/model/model.h"

/* --- lights --- */

/* Of light of 555 nm, by which programs make watts of what photometry has. */
#define LUMENS_PER_WATT 683.0

static json_t *light_of(const struct export_model *scene, const struct export_light *from)
{
    static const char *const kinds[] = {"point", "spot", "directional"};
    json_t *light = json_object();
    json_object_set_new(light, "type", json_string(kinds[from->kind]));
    json_object_set_new(light, "color", gltf_numbers(from->colour, 3));
    double unit = scene->light_units == EXPORT_LIGHT_LUMENS ? LUMENS_PER_WATT : 1;
    json_object_set_new(light, "intensity", gltf_number(unit * (double)from->intensity));
    if (from->kind == EXPORT_LIGHT_SPOT) {
        json_t *spot = json_object();
        json_object_set_new(spot, "innerConeAngle", gltf_number((double)from->inner));
        json_object_set_new(spot, "outerConeAngle", gltf_number((double)from->outer));
        json_object_set_new(light, "spot", spot);
    }
    if (from->style != 0) {
        json_t *extras = json_object();
        json_object_set_new(extras, "style", json_integer(from->style));
        json_object_set_new(light, "extras", extras);
    }
    return light;
}

static void set_lights(const struct export_model *scene, json_t *root)
{
    json_t *lights = json_array(), *list = json_object(), *extensions = json_object();
    for (size_t i = 0; i < arrlenu(scene->lights); i++)
        json_array_append_new(lights, light_of(scene, &scene->lights[i]));
    json_object_set_new(list, "lights", lights);
    json_object_set_new(extensions, "KHR_lights_punctual", list);
    if (arrlen(scene->lights) > 0)
        json_object_set(root, "extensions", extensions);
    json_decref(extensions);
}

/* --- nodes --- */

/* The keys of an entity; one that is there several times, as outputs are, has an array. */
static json_t *keys_of(const struct entity *entity)
{
    json_t *keys = json_object();
    for (size_t i = 0; i < arrlenu(entity->pairs); i++) {
        char *key = diag_utf8(entity->pairs[i].key);
        json_t *value = diag_json_text(entity->pairs[i].value),
               *before = json_object_get(keys, key);
        if (json_is_array(before)) {
            json_array_append_new(before, value);
        } else if (before) {
            json_object_set_new(keys, key, json_pack("[O, o]", before, value));
        } else {
            json_object_set_new(keys, key, value);
        }
        memory_free(key);
    }
    return keys;
}

static json_t *prop_of(const struct export_prop *prop, int number)
{
    json_t *extras = json_object();
    json_object_set_new(extras, "static_prop", json_integer(number));
    json_object_set_new(extras, "model", diag_json_text(prop->model));
    json_object_set_new(extras, "skin", json_integer(prop->skin));
    return extras;
}

static bool differs(const float *values, const float *usual, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fabsf(values[i] - usual[i]) > 0)
            return true;
    return false;
}

static void set_place(const struct export_node *from, json_t *node)
{
    static const float none[4] = {0, 0, 0, 1}, one[3] = {1, 1, 1};
    if (differs(from->translation, none, 3))
        json_object_set_new(node, "translation", gltf_numbers(from->translation, 3));
    if (differs(from->rotation, none, 4))
        json_object_set_new(node, "rotation", gltf_numbers(from->rotation, 4));
    if (differs(from->scale, one, 3))
        json_object_set_new(node, "scale", gltf_numbers(from->scale, 3));
}

static json_t *node_of(const struct export_model *scene, const struct export_node *from)
{
    json_t *node = json_object();
    json_object_set_new(node, "name", diag_json_text(from->name));
    set_place(from, node);
    if (from->mesh >= 0)
        json_object_set_new(node, "mesh", json_integer(from->mesh));
    if (from->light >= 0) {
        json_t *extensions = json_pack("{s:{s:i}}", "KHR_lights_punctual", "light", from->light);
        json_object_set_new(node, "extensions", extensions);
    }
    if (from->entity >= 0)
        json_object_set_new(node, "extras", keys_of(&scene->entities->entities[from->entity]));
    else if (from->prop >= 0)
        json_object_set_new(node, "extras", prop_of(&scene->props[from->prop], from->prop));
    return node;
}

static void add_child(json_t *nodes, int parent, int child)
{
    json_t *node = json_array_get(nodes, (size_t)parent), *list = json_object_get(node, "children");
    if (!list) {
        list = json_array();
        json_object_set_new(node, "children", list);
    }
    json_array_append_new(list, json_integer(child));
}

static json_t *scene_of(const struct export_model *from, json_t *roots)
{
    json_t *scene = json_object(), *extras = json_object();
    json_object_set_new(scene, "name", diag_json_text(from->name));
    json_object_set_new(scene, "nodes", roots);
    json_object_set_new(extras, "unit", gltf_number(from->units));
    json_object_set_new(scene, "extras", extras);
    return scene;
}

void gltf_set_nodes(const struct export_model *scene, json_t *root)
{
    json_t *nodes = json_array(), *roots = json_array(), *scenes = json_array();
    for (size_t i = 0; i < arrlenu(scene->nodes); i++) {
        json_array_append_new(nodes, node_of(scene, &scene->nodes[i]));
        if (scene->nodes[i].parent >= 0)
            add_child(nodes, scene->nodes[i].parent, (int)i);
        else
            json_array_append_new(roots, json_integer((json_int_t)i));
    }
    json_array_append_new(scenes, scene_of(scene, roots));
    json_object_set_new(root, "scene", json_integer(0));
    json_object_set_new(root, "scenes", scenes);
    json_object_set_new(root, "nodes", nodes);
    set_lights(scene, root);
}

/* Digits of numbers in the text: those of a float. */
enum { DIGITS = 9 };

/* Of the container. */
enum {
    MAGIC = 0x46546c67,
    VERSION = 2,
    TEXT_CHUNK = 0x4e4f534a,
    BINARY_CHUNK = 0x004e4942,
    HEADER = 12,
    CHUNK_HEADER = 8,
    ALIGNMENT = 4,
};

struct gltf_job {
    const struct export_model *scene;
    const char *file;
    bool binary;
    struct arena arena;
    struct export_file **files;
};

void gltf_set_list(json_t *object, const char *name, json_t *array)
{
    if (json_array_size(array) > 0)
        json_object_set(object, name, array);
    json_decref(array);
}

/* A name as a relative reference: bytes that a URI does not have as they are become %XX. */
static const char *uri_of(struct arena *arena, const char *name)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    char *uri = arena_alloc(arena, 3 * strlen(name) + 1, 1), *to = uri;
    for (const char *from = name; *from; from++) {
        if (strchr(plain, *from)) {
            *to++ = *from;
        } else {
            *to++ = '%';
            *to++ = "0123456789ABCDEF"[(unsigned char)*from >> 4];
            *to++ = "0123456789ABCDEF"[(unsigned char)*from & 15];
        }
    }
    return uri;
}

static json_t *images_of(struct gltf_job *job, struct gltf_buffer *buffer)
{
    json_t *images = json_array();
    for (size_t i = 0; i < arrlenu(job->scene->images); i++) {
        const struct export_image *from = &job->scene->images[i];
        json_t *image = json_object();
        json_object_set_new(image, "name", json_string(from->name));
        if (job->binary) {
            int number = gltf_buffer_image(buffer, &from->file);
            json_object_set_new(image, "bufferView",
                                json_integer(gltf_buffer_image_view(buffer, number)));
            json_object_set_new(image, "mimeType",
                                json_string(from->jpeg ? "image/jpeg" : "image/png"));
        } else {
            const char *name = arena_printf(&job->arena, "%s_textures/%s", job->file, from->name);
            export_file_add(job->files, name, &from->file);
            json_object_set_new(image, "uri", json_string(uri_of(&job->arena, name)));
        }
        json_array_append_new(images, image);
    }
    return images;
}

static json_t *extensions_used(const struct export_model *scene)
{
    json_t *names = json_array();
    bool unlit = false, page = false;
    for (size_t i = 0; i < arrlenu(scene->materials); i++) {
        unlit |= scene->materials[i].unlit;
        page |= scene->materials[i].page >= 0 && scene->page_form == EXPORT_PAGES_PNG;
    }
    if (arrlen(scene->lights) > 0)
        json_array_append_new(names, json_string("KHR_lights_punctual"));
    if (unlit)
        json_array_append_new(names, json_string("KHR_materials_unlit"));
    if (page)
        json_array_append_new(names, json_string("MOZ_lightmap"));
    return names;
}

static void set_buffer(struct gltf_job *job, const struct bytes *body, json_t *root)
{
    json_t *buffer = json_object();
    if (!job->binary) {
        const char *name = arena_printf(&job->arena, "%s.bin", job->file);
        export_file_add(job->files, name, body);
        json_object_set_new(buffer, "uri", json_string(uri_of(&job->arena, name)));
    }
    json_object_set_new(buffer, "byteLength", json_integer((json_int_t)body->size));
    json_t *buffers = json_array();
    json_array_append_new(buffers, buffer);
    json_object_set_new(root, "buffers", buffers);
}

/* Makes the text, and the body of the binary form. */
static void describe(struct gltf_job *job, struct bytes *text, struct bytes *body)
{
    struct gltf_buffer buffer;
    json_t *root = json_object(), *asset = json_object();
    gltf_buffer_open(&buffer);
    json_object_set_new(asset, "version", json_string("2.0"));
    json_object_set_new(asset, "generator", json_string("Brushwork"));
    json_object_set_new(root, "asset", asset);
    gltf_set_list(root, "extensionsUsed", extensions_used(job->scene));
    gltf_set_nodes(job->scene, root);
    gltf_set_list(root, "meshes", gltf_meshes(job->scene, &buffer));
    gltf_set_materials(job->scene, root);
    gltf_set_list(root, "images", images_of(job, &buffer));
    if (json_array_size(buffer.accessors) > 0)
        json_object_set(root, "accessors", buffer.accessors);
    gltf_set_list(root, "bufferViews", gltf_buffer_close(&buffer, body));
    if (body->size > 0)
        set_buffer(job, body, root);
    char *json = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    size_t length = json ? strlen(json) : 0;
    if (!json)
        memory_refused(body->size);
    bytes_append(text, json, length);
    memory_free(json);
    json_decref(root);
    gltf_buffer_free(&buffer);
}

static void put_chunk(uint32_t kind, const struct bytes *data, unsigned char padding,
                      struct bytes *out)
{
    size_t rest = (ALIGNMENT - data->size % ALIGNMENT) % ALIGNMENT;
    bytes_u32(out, (uint32_t)(data->size + rest));
    bytes_u32(out, kind);
    bytes_append(out, data->data, data->size);
    bytes_fill(out, padding, rest);
}

static enum status put_binary(const struct env *env, const struct bytes *text,
                              const struct bytes *body, struct bytes *out)
{
    uint64_t size = HEADER + 2 * (CHUNK_HEADER + ALIGNMENT) + (uint64_t)text->size + body->size;
    if (size > UINT32_MAX)
        return diag_report(env->diag, DIAG_EXPORT_LARGE, NULL, "%llu bytes in one file",
                           (unsigned long long)size);
    bytes_u32(out, MAGIC);
    bytes_u32(out, VERSION);
    bytes_u32(out, 0);
    put_chunk(TEXT_CHUNK, text, ' ', out);
    if (body->size > 0)
        put_chunk(BINARY_CHUNK, body, 0, out);
    store_u32(ORDER_LITTLE, out->data + 8, (uint32_t)out->size);
    return STATUS_OK;
}

enum status gltf_write(const struct env *env, const struct export_model *scene, const char *file,
                       bool binary, struct export_file **files)
{
    struct gltf_job job = {.scene = scene, .file = file, .binary = binary, .files = files};
    struct bytes text = {0}, body = {0}, out = {0};
    enum status status = STATUS_OK;
    describe(&job, &text, &body);
    if (binary)
        status = put_binary(env, &text, &body, &out);
    else
        bytes_append(&out, text.data, text.size);
    if (status == STATUS_OK)
        export_file_add(files, arena_printf(&job.arena, binary ? "%s.glb" : "%s.gltf", file), &out);
    bytes_free(&text);
    bytes_free(&body);
    bytes_free(&out);
    arena_free(&job.arena);
    return status;
}
