/* The VTX of a static model: a strip group with one strip, a list of triangles, for each mesh.
 * Records of a kind follow each other: meshes, groups, strips, then vertices and indices. */
#include "common/assets/models/static_model.h"
#include "common/assets/models/vtx_records.h"
#include "common/core/array.h"

enum {
    CACHE_SIZE = 24,
    BONES_PER_STRIP = 53,
    BONES_PER_TRIANGLE = 9,
    BONES_PER_VERTEX = 3,
    SKINNED_BY_HARDWARE = 2,
};

struct layout {
    size_t group_size, strip_size, groups, strips, vertices, indices, end; /* offsets in the file */
};

static struct layout layout_of(const struct static_model *model, int32_t mdl_version)
{
    size_t more = mdl_version >= VTX_WIDE_FROM ? VTX_WIDER : 0, meshes = arrlenu(model->meshes);
    struct layout at = {.group_size = VTX_GROUP + more, .strip_size = VTX_STRIP + more};
    at.groups = VTX_HEADER + VTX_PART + VTX_MODEL + VTX_LOD + meshes * VTX_MESH;
    at.strips = at.groups + meshes * at.group_size;
    at.vertices = at.strips + meshes * at.strip_size;
    at.indices = at.vertices + arrlenu(model->vertices) * VTX_VERTEX;
    at.end = at.indices + 3 * arrlenu(model->triangles) * VTX_INDEX;
    return at;
}

static void append_size(struct bytes *out, size_t value)
{
    bytes_u32(out, (uint32_t)value);
}

static void append_header(const struct layout *at, uint32_t checksum, size_t meshes,
                          struct bytes *out)
{
    bytes_i32(out, VTX_VERSION);
    bytes_i32(out, CACHE_SIZE);
    bytes_u16(out, BONES_PER_STRIP);
    bytes_u16(out, BONES_PER_TRIANGLE);
    bytes_i32(out, BONES_PER_VERTEX);
    bytes_u32(out, checksum);
    bytes_i32(out, 1);
    append_size(out, at->end); /* the list of material replacements, which is empty */
    bytes_i32(out, 1);
    append_size(out, VTX_HEADER);
    bytes_i32(out, 1); /* part: one model */
    append_size(out, VTX_PART);
    bytes_i32(out, 1); /* model: one level of detail */
    append_size(out, VTX_MODEL);
    append_size(out, meshes);
    append_size(out, VTX_LOD);
    bytes_f32(out, 0);
}

/* Offsets of a record are from its start. */
static void append_group(const struct layout *at, const struct static_mesh *mesh, size_t number,
                         struct bytes *out)
{
    size_t start = out->size;
    bytes_i32(out, mesh->vertex_count);
    append_size(out, at->vertices + (size_t)mesh->first_vertex * VTX_VERTEX - start);
    bytes_i32(out, 3 * mesh->triangle_count);
    append_size(out, at->indices + 3 * (size_t)mesh->first_triangle * VTX_INDEX - start);
    bytes_i32(out, 1);
    append_size(out, at->strips + number * at->strip_size - start);
    bytes_u8(out, SKINNED_BY_HARDWARE);
    bytes_fill(out, 0, at->group_size - VTX_GROUP);
}

static void append_strip(const struct layout *at, const struct static_mesh *mesh, struct bytes *out)
{
    size_t start = out->size;
    bytes_i32(out, 3 * mesh->triangle_count);
    bytes_i32(out, 0);
    bytes_i32(out, mesh->vertex_count);
    bytes_i32(out, 0);
    bytes_u16(out, 0); /* no bones */
    bytes_u8(out, VTX_STRIP_IS_LIST);
    bytes_i32(out, 0);
    append_size(out, at->end - start);
    bytes_fill(out, 0, at->strip_size - VTX_STRIP);
}

static void append_vertices(const struct static_mesh *mesh, struct bytes *out)
{
    static const unsigned char weights[] = {0, 1, 2, 0};
    for (int32_t i = 0; i < mesh->vertex_count; i++) {
        bytes_append(out, weights, sizeof weights);
        bytes_u16(out, (uint16_t)i);
        bytes_fill(out, 0, BONES_PER_VERTEX);
    }
}

void static_model_vtx(const struct static_model *model, uint32_t checksum, int32_t mdl_version,
                      struct bytes *out)
{
    const struct layout at = layout_of(model, mdl_version);
    const struct static_mesh *meshes = model->meshes;
    size_t count = arrlenu(meshes);
    struct bytes file = {0};
    append_header(&at, checksum, count, &file);
    for (size_t i = 0; i < count; i++) {
        bytes_i32(&file, 1);
        append_size(&file, at.groups + i * at.group_size - (file.size - 4));
        bytes_u8(&file, 0);
    }
    for (size_t i = 0; i < count; i++)
        append_group(&at, &meshes[i], i, &file);
    for (size_t i = 0; i < count; i++)
        append_strip(&at, &meshes[i], &file);
    for (size_t i = 0; i < count; i++)
        append_vertices(&meshes[i], &file);
    for (size_t i = 0; i < arrlenu(model->triangles); i++)
        for (int k = 0; k < 3; k++)
            bytes_u16(&file, model->triangles[i].vertices[k]);
    bytes_u32(&file, 0);
    bytes_u32(&file, 0);
    bytes_append(out, file.data, file.size);
    bytes_free(&file);
}
