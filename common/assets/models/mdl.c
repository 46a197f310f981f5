#include "common/assets/models/mdl.h"
#include "common/diag/codes/source_models.def"

enum {
    MDL_ID = 0x54534449, /* "IDST" */
    VERSION_MIN = 44,
    VERSION_MAX = 49,
    HEADER = 408,
    TEXTURE = 64,
    PART = 16,
    MODEL = 148,
    MESH = 116,
    VVD_VERTEX = 48, /* models name their first vertex in bytes */
};

struct reader {
    const unsigned char *data;
    size_t size;
    struct arena *arena;
    const char *invalid_part; /* the part of the file that is invalid */
    size_t text_left;
};

struct table {
    size_t count, start;
};

static int32_t i32_at(const struct reader *reader, size_t at)
{
    return (int32_t)load_u32(reader->data + at);
}

static struct vec3 vec3_at(const struct reader *reader, size_t at)
{
    const unsigned char *p = reader->data + at;
    return vec3((double)load_f32(p), (double)load_f32(p + 4), (double)load_f32(p + 8));
}

/* Reads a count and an offset; the records are at base + offset. */
static bool read_table(const struct reader *reader, size_t count_at, size_t offset_at, size_t base,
                       size_t record, struct table *out)
{
    int64_t items = i32_at(reader, count_at), first = (int64_t)base + i32_at(reader, offset_at);
    *out = (struct table){0};
    if (items == 0)
        return true;
    if (items < 0 || first < 0 || first > (int64_t)reader->size ||
        items > ((int64_t)reader->size - first) / (int64_t)record)
        return false;
    out->count = (size_t)items;
    out->start = (size_t)first;
    return true;
}

static const char *text_at(const struct reader *reader, int64_t at)
{
    if (at < 0 || at >= (int64_t)reader->size)
        return NULL;
    const unsigned char *text = reader->data + at;
    size_t room = reader->size - (size_t)at;
    return memchr(text, 0, room) ? arena_strdup(reader->arena, (const char *)text) : NULL;
}

/* Names may overlap: each is copied, so the sum of their lengths is limited. */
static bool read_name(struct reader *reader, int64_t at, const char **out)
{
    *out = text_at(reader, at);
    if (!*out || strlen(*out) > reader->text_left)
        return false;
    reader->text_left -= strlen(*out);
    return true;
}

static bool read_textures(struct reader *reader, struct mdl *out)
{
    struct table table;
    reader->invalid_part = "material list";
    reader->text_left = reader->size;
    if (!read_table(reader, 204, 208, 0, TEXTURE, &table))
        return false;
    out->textures = ARENA_ARRAY(reader->arena, const char *, table.count);
    out->texture_count = (int32_t)table.count;
    for (size_t i = 0; i < table.count; i++) {
        size_t at = table.start + i * TEXTURE;
        if (!read_name(reader, (int64_t)at + i32_at(reader, at), &out->textures[i]))
            return false;
    }
    if (!read_table(reader, 212, 216, 0, 4, &table))
        return false;
    out->texture_paths = ARENA_ARRAY(reader->arena, const char *, table.count);
    out->texture_path_count = (int32_t)table.count;
    for (size_t i = 0; i < table.count; i++)
        if (!read_name(reader, i32_at(reader, table.start + 4 * i), &out->texture_paths[i]))
            return false;
    return true;
}

static bool read_skins(struct reader *reader, struct mdl *out)
{
    int64_t columns = i32_at(reader, 220), families = i32_at(reader, 224);
    int64_t start = i32_at(reader, 228), size = (int64_t)reader->size;
    reader->invalid_part = "skin table";
    if (columns == 0 || families == 0)
        return true;
    if (columns < 0 || families < 0 || start < 0 || start > size ||
        columns > (size - start) / 2 / families)
        return false;
    int32_t *skins = ARENA_ARRAY(reader->arena, int32_t, (size_t)(columns * families));
    for (int64_t i = 0; i < columns * families; i++) {
        skins[i] = (int16_t)load_u16(reader->data + start + 2 * i);
        if (skins[i] < 0 || skins[i] >= out->texture_count)
            return false;
    }
    out->skins = skins;
    out->skin_columns = (int32_t)columns;
    out->skin_families = (int32_t)families;
    return true;
}

static bool read_mesh(const struct reader *reader, size_t at, const struct mdl_model *model,
                      struct mdl_mesh *out)
{
    int64_t first = (int64_t)model->first_vertex + i32_at(reader, at + 12);
    int32_t all = i32_at(reader, at + 8);
    out->material = i32_at(reader, at);
    for (int i = 0; i < MODEL_LODS; i++) {
        out->vertex_count[i] = i32_at(reader, at + 52 + 4 * (size_t)i);
        if (out->vertex_count[i] < 0)
            return false;
    }
    /* Some tools leave the counts by LOD empty. */
    if (out->vertex_count[0] == 0)
        out->vertex_count[0] = all;
    if (all < 0 || first < 0 || first > INT32_MAX)
        return false;
    out->first_vertex = (int32_t)first;
    return true;
}

/* Reads a model's own numbers and the position of its meshes. */
static bool read_model(const struct reader *reader, size_t at, struct mdl *out,
                       struct table *meshes)
{
    struct mdl_model *model = &out->models[out->model_count++];
    int32_t first = i32_at(reader, at + 84);
    if (!read_table(reader, at + 72, at + 76, at, MESH, meshes) || first < 0 ||
        first % VVD_VERTEX || i32_at(reader, at + 80) < 0)
        return false;
    model->first_vertex = first / VVD_VERTEX;
    model->vertex_count = i32_at(reader, at + 80);
    return true;
}

/* Reads the models of all parts. Lists may overlap in a malicious file, so the sum of their lengths
 * is limited to what the file could hold without overlaps. */
static bool read_models(struct reader *reader, const struct table *parts, struct mdl *out,
                        struct table **meshes)
{
    struct table *lists = ARENA_ARRAY(reader->arena, struct table, parts->count);
    size_t total = 0;
    reader->invalid_part = "body part";
    out->parts = ARENA_ARRAY(reader->arena, struct mdl_part, parts->count);
    out->part_count = (int32_t)parts->count;
    for (size_t i = 0; i < parts->count; i++) {
        size_t at = parts->start + i * PART;
        if (!read_table(reader, at + 4, at + 12, at, MODEL, &lists[i]))
            return false;
        out->parts[i] = (struct mdl_part){(int32_t)total, (int32_t)lists[i].count};
        total += lists[i].count;
        if (total > reader->size / MODEL)
            return false;
    }
    out->models = ARENA_ARRAY(reader->arena, struct mdl_model, total);
    *meshes = ARENA_ARRAY(reader->arena, struct table, total);
    for (size_t i = 0; i < parts->count; i++)
        for (size_t j = 0; j < lists[i].count; j++)
            if (!read_model(reader, lists[i].start + j * MODEL, out, *meshes + out->model_count))
                return false;
    return true;
}

static bool read_parts(struct reader *reader, struct mdl *out)
{
    struct table parts, *lists;
    size_t total = 0;
    reader->invalid_part = "body part list";
    if (!read_table(reader, 232, 236, 0, PART, &parts) || !read_models(reader, &parts, out, &lists))
        return false;
    reader->invalid_part = "mesh";
    for (int32_t i = 0; i < out->model_count; i++)
        total += lists[i].count; /* at most size / MESH each, and size / MODEL lists */
    if (total > reader->size / MESH)
        return false;
    out->meshes = ARENA_ARRAY(reader->arena, struct mdl_mesh, total);
    for (int32_t i = 0; i < out->model_count; i++) {
        struct mdl_model *model = &out->models[i];
        model->first_mesh = out->mesh_count;
        model->mesh_count = (int32_t)lists[i].count;
        for (size_t j = 0; j < lists[i].count; j++)
            if (!read_mesh(reader, lists[i].start + j * MESH, model,
                           &out->meshes[out->mesh_count++]))
                return false;
    }
    return true;
}

static bool read_header(struct reader *reader, struct mdl *out)
{
    reader->invalid_part = "header";
    out->version = i32_at(reader, 4);
    out->checksum = load_u32(reader->data + 8);
    out->illumination = vec3_at(reader, 92);
    out->hull = (struct bounds){vec3_at(reader, 104), vec3_at(reader, 116)};
    out->view = (struct bounds){vec3_at(reader, 128), vec3_at(reader, 140)};
    out->flags = i32_at(reader, 152);
    out->bone_count = i32_at(reader, 156);
    const struct vec3 *points[] = {&out->illumination, &out->hull.mins, &out->hull.maxs,
                                   &out->view.mins, &out->view.maxs};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        if (!vec3_is_finite(*points[i]))
            return false;
    int32_t surface_prop = i32_at(reader, 308);
    out->surface_prop = surface_prop ? text_at(reader, surface_prop) : "";
    return out->surface_prop != NULL;
}

enum status mdl_decode(const struct bytes *file, const struct diag_where *where, struct diag *diag,
                       struct arena *arena, struct mdl *out)
{
    struct reader reader = {.data = file->data, .size = file->size, .arena = arena};
    *out = (struct mdl){0};
    if (file->size < HEADER || load_u32(file->data) != MDL_ID)
        return diag_report(diag, DIAG_MODEL_BROKEN, where, "not an MDL file (%zu bytes)",
                           file->size);
    int32_t version = i32_at(&reader, 4);
    if (version < VERSION_MIN || version > VERSION_MAX)
        return diag_report(diag, DIAG_MODEL_BROKEN, where,
                           "version %d; versions %d to %d are supported", version, VERSION_MIN,
                           VERSION_MAX);
    if (read_header(&reader, out) && read_textures(&reader, out) && read_skins(&reader, out) &&
        read_parts(&reader, out))
        return STATUS_OK;
    *out = (struct mdl){0};
    return diag_report(diag, DIAG_MODEL_BROKEN, where, "corrupt %s", reader.invalid_part);
}

int32_t mdl_texture(const struct mdl *mdl, int32_t skin, int32_t column)
{
    if (column < 0 || column >= mdl->skin_columns)
        return column >= 0 && column < mdl->texture_count ? column : -1;
    if (skin < 0 || skin >= mdl->skin_families)
        skin = 0;
    return mdl->skins[(ptrdiff_t)skin * mdl->skin_columns + column];
}
