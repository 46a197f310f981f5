#include "common/assets/models/vtx.h"

#include "common/assets/models/vtx_records.h"
#include "common/core/array.h"
#include "common/diag/codes/source_models.def"

struct list {
    size_t count, start;
};

struct reader {
    const unsigned char *data;
    size_t size;
    const struct mdl *mdl;
    bool wide, has_switch;
    /* Number of further records that the file can hold: lists may overlap in a malicious file. */
    size_t groups_left, strips_left, indices_left;
    struct vtx *out;
};

static int32_t i32_at(const struct reader *reader, size_t at)
{
    return (int32_t)load_u32(reader->data + at);
}

/* Reads the list whose count is at `at`, followed by its offset from `base`. */
static bool read_list(const struct reader *reader, size_t at, size_t base, size_t record,
                      struct list *out)
{
    int64_t count = i32_at(reader, at), start = (int64_t)base + i32_at(reader, at + 4);
    *out = (struct list){0};
    if (count == 0)
        return true;
    if (count < 0 || start < 0 || start > (int64_t)reader->size ||
        count > ((int64_t)reader->size - start) / (int64_t)record)
        return false;
    *out = (struct list){(size_t)count, (size_t)start};
    return true;
}

static bool consume(size_t *left, size_t count)
{
    if (count > *left)
        return false;
    *left -= count;
    return true;
}

struct group {
    int32_t mesh;
    struct list vertices, indices;
};

static bool add_triangle(const struct reader *reader, const struct group *group,
                         const size_t indices[3])
{
    const struct mdl_mesh *mesh = &reader->mdl->meshes[group->mesh];
    struct model_triangle triangle = {.mesh = group->mesh};
    for (int i = 0; i < 3; i++) {
        size_t index = load_u16(reader->data + group->indices.start + 2 * indices[i]);
        if (index >= group->vertices.count)
            return false;
        int32_t vertex = load_u16(reader->data + group->vertices.start + index * VTX_VERTEX + 4);
        if (vertex >= mesh->vertex_count[0] || mesh->first_vertex > INT32_MAX - vertex)
            return false;
        triangle.vertices[i] = mesh->first_vertex + vertex;
    }
    arrput(reader->out->triangles, triangle);
    return true;
}

static bool read_strip(struct reader *reader, const struct group *group, size_t at, size_t *used)
{
    int64_t count = i32_at(reader, at), first = i32_at(reader, at + 4);
    bool is_list = reader->data[at + 18] & VTX_STRIP_IS_LIST;
    if (count < 0 || first < 0 || first > (int64_t)group->indices.count ||
        count > (int64_t)group->indices.count - first ||
        !consume(&reader->indices_left, (size_t)count))
        return false;
    *used += (size_t)count;
    if (is_list && count % 3)
        return false;
    for (size_t i = 0; i + 2 < (size_t)count; i += is_list ? 3 : 1) {
        size_t from = (size_t)first + i;
        bool turned = !is_list && i % 2;
        if (!add_triangle(reader, group, (size_t[3]){from, from + 1 + turned, from + 2 - turned}))
            return false;
    }
    return true;
}

static bool read_group(struct reader *reader, int32_t mesh, size_t at)
{
    struct group group = {.mesh = mesh};
    struct list strips;
    size_t record = reader->wide ? VTX_STRIP + VTX_WIDER : VTX_STRIP, used = 0;
    if (!read_list(reader, at, at, VTX_VERTEX, &group.vertices) ||
        !read_list(reader, at + 8, at, 2, &group.indices) ||
        !read_list(reader, at + 16, at, record, &strips) ||
        !consume(&reader->strips_left, strips.count))
        return false;
    for (size_t i = 0; i < strips.count; i++)
        if (!read_strip(reader, &group, strips.start + i * record, &used))
            return false;
    return used == group.indices.count;
}

static bool read_mesh(struct reader *reader, int32_t mesh, size_t at)
{
    struct list groups;
    size_t record = reader->wide ? VTX_GROUP + VTX_WIDER : VTX_GROUP;
    if (!read_list(reader, at, at, record, &groups) || !consume(&reader->groups_left, groups.count))
        return false;
    for (size_t i = 0; i < groups.count; i++)
        if (!read_group(reader, mesh, groups.start + i * record))
            return false;
    return true;
}

static void note_switch(struct reader *reader, size_t at)
{
    float point = load_f32(reader->data + at + 8);
    if (!reader->has_switch || point > reader->out->switch_point)
        reader->out->switch_point = point;
    reader->has_switch = true;
}

/* The list of each LOD: its number of materials, and where they are. */
static bool replaces_materials(const struct bytes *file, int32_t lod)
{
    int64_t at = (int64_t)(int32_t)load_u32(file->data + 24) + (int64_t)lod * VTX_REPLACEMENTS;
    return lod >= 0 && at >= VTX_HEADER && at <= (int64_t)file->size - VTX_REPLACEMENTS &&
           load_u32(file->data + at) != 0;
}

static bool read_model(struct reader *reader, const struct mdl_model *model, int32_t lod, size_t at)
{
    struct list lods, meshes;
    if (!read_list(reader, at, at, VTX_LOD, &lods))
        return false;
    if ((size_t)lod >= lods.count)
        return true;
    at = lods.start + (size_t)lod * VTX_LOD;
    note_switch(reader, at);
    if (!read_list(reader, at, at, VTX_MESH, &meshes) || meshes.count != (size_t)model->mesh_count)
        return false;
    for (size_t i = 0; i < meshes.count; i++)
        if (!read_mesh(reader, model->first_mesh + (int32_t)i, meshes.start + i * VTX_MESH))
            return false;
    return true;
}

static bool read_parts(struct reader *reader, int32_t lod)
{
    const struct mdl *mdl = reader->mdl;
    struct list parts, models;
    if (!read_list(reader, 28, 0, VTX_PART, &parts) || parts.count != (size_t)mdl->part_count)
        return false;
    for (size_t i = 0; i < parts.count; i++) {
        size_t at = parts.start + i * VTX_PART;
        if (!read_list(reader, at, at, VTX_MODEL, &models) ||
            models.count != (size_t)mdl->parts[i].model_count)
            return false;
        for (size_t j = 0; j < models.count; j++)
            if (!read_model(reader, &mdl->models[(size_t)mdl->parts[i].first_model + j], lod,
                            models.start + j * VTX_MODEL))
                return false;
    }
    return true;
}

static bool read_as(const struct bytes *file, const struct mdl *mdl, int32_t lod, bool wide,
                    struct vtx *out)
{
    struct reader reader = {.data = file->data,
                            .size = file->size,
                            .mdl = mdl,
                            .wide = wide,
                            .groups_left = file->size / VTX_GROUP,
                            .strips_left = file->size / VTX_STRIP,
                            .indices_left = file->size / 2,
                            .out = out};
    if (read_parts(&reader, lod))
        return true;
    vtx_free(out);
    return false;
}

enum status vtx_decode(const struct bytes *file, const struct mdl *mdl, int32_t lod,
                       const struct diag_where *where, struct diag *diag, struct vtx *out)
{
    *out = (struct vtx){0};
    if (file->size < VTX_HEADER || load_u32(file->data) != VTX_VERSION)
        return diag_report(diag, DIAG_MODEL_BROKEN, where,
                           "not a VTX file of version %d (%zu bytes)", VTX_VERSION, file->size);
    bool wide = mdl->version >= VTX_WIDE_FROM;
    if (!read_as(file, mdl, lod, wide, out) && !read_as(file, mdl, lod, !wide, out))
        return diag_report(diag, DIAG_MODEL_BROKEN, where, "corrupt, or not compiled with its MDL");
    out->checksum = load_u32(file->data + 16);
    out->lods = (int32_t)load_u32(file->data + 20);
    out->replaces_materials = lod < out->lods && replaces_materials(file, lod);
    return STATUS_OK;
}

void vtx_free(struct vtx *vtx)
{
    arrfree(vtx->triangles);
    *vtx = (struct vtx){0};
}
