#include "export/gltf/gltf.h"

#include "common/core/array.h"
#include "common/diag/codes/exports.def"
#include "export/gltf/json.h"
#include "export/model/files.h"

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
