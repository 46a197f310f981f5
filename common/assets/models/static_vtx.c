/* The VTX of a static model: for each level of detail a strip group with one strip, a list of
 * triangles, for each mesh. Records of a kind follow each other: levels, meshes, groups, strips,
 * then vertices, which all levels share, and indices. */
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
    size_t group_size, strip_size;
    size_t meshes, groups, strips, vertices, indices, end; /* offsets in the file */
};

static size_t count_triangles(const struct static_model *model)
{
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(model->lods); i++)
        count += arrlenu(model->lods[i].triangles);
    return count;
}

static struct layout layout_of(const struct static_model *model, int32_t mdl_version)
{
    size_t more = mdl_version >= VTX_WIDE_FROM ? VTX_WIDER : 0, lods = arrlenu(model->lods);
    size_t meshes = lods * arrlenu(model->meshes);
    struct layout at = {.group_size = VTX_GROUP + more, .strip_size = VTX_STRIP + more};
    at.meshes = VTX_HEADER + VTX_PART + VTX_MODEL + lods * VTX_LOD;
    at.groups = at.meshes + meshes * VTX_MESH;
    at.strips = at.groups + meshes * at.group_size;
    at.vertices = at.strips + meshes * at.strip_size;
    at.indices = at.vertices + arrlenu(model->vertices) * VTX_VERTEX;
    at.end = at.indices + 3 * count_triangles(model) * VTX_INDEX;
    return at;
}

static void append_size(struct bytes *out, size_t value)
{
    bytes_u32(out, (uint32_t)value);
}

static void append_header(const struct layout *at, uint32_t checksum, size_t lods,
                          struct bytes *out)
{
    bytes_i32(out, VTX_VERSION);
    bytes_i32(out, CACHE_SIZE);
    bytes_u16(out, BONES_PER_STRIP);
    bytes_u16(out, BONES_PER_TRIANGLE);
    bytes_i32(out, BONES_PER_VERTEX);
    bytes_u32(out, checksum);
    append_size(out, lods);
    append_size(out, at->end); /* the lists of material replacements, which are empty */
    bytes_i32(out, 1);
    append_size(out, VTX_HEADER);
    bytes_i32(out, 1); /* part: one model */
    append_size(out, VTX_PART);
    append_size(out, lods); /* model */
    append_size(out, VTX_MODEL);
}

/* Offsets of a record are from its start. */
static void append_lod(const struct layout *at, const struct static_lod *lod, size_t number,
                       size_t meshes, struct bytes *out)
{
    size_t start = out->size;
    append_size(out, meshes);
    append_size(out, at->meshes + number * meshes * VTX_MESH - start);
    bytes_f32(out, lod->switch_point);
}

static void append_mesh(const struct layout *at, size_t number, struct bytes *out)
{
    size_t start = out->size;
    bytes_i32(out, 1);
    append_size(out, at->groups + number * at->group_size - start);
    bytes_u8(out, 0);
}

/* A mesh in a level of detail. */
struct part {
    const struct static_mesh *mesh;
    size_t number;         /* of all meshes of all levels */
    size_t first, indices; /* of its triangles, among those of all */
};

static void append_group(const struct layout *at, const struct part *part, struct bytes *out)
{
    size_t start = out->size;
    bytes_i32(out, part->mesh->vertex_count);
    append_size(out, at->vertices + (size_t)part->mesh->first_vertex * VTX_VERTEX - start);
    append_size(out, part->indices);
    append_size(out, at->indices + part->first * VTX_INDEX - start);
    bytes_i32(out, 1);
    append_size(out, at->strips + part->number * at->strip_size - start);
    bytes_u8(out, SKINNED_BY_HARDWARE);
    bytes_fill(out, 0, at->group_size - VTX_GROUP);
}

static void append_strip(const struct layout *at, const struct part *part, struct bytes *out)
{
    size_t start = out->size;
    append_size(out, part->indices);
    bytes_i32(out, 0);
    bytes_i32(out, part->mesh->vertex_count);
    bytes_i32(out, 0);
    bytes_u16(out, 0); /* no bones */
    bytes_u8(out, VTX_STRIP_IS_LIST);
    bytes_i32(out, 0);
    append_size(out, at->end - start);
    bytes_fill(out, 0, at->strip_size - VTX_STRIP);
}

typedef void append_part(const struct layout *at, const struct part *part, struct bytes *out);

static void for_each_part(const struct static_model *model, const struct layout *at,
                          append_part *append, struct bytes *out)
{
    struct part part = {.number = 0};
    for (size_t i = 0; i < arrlenu(model->lods); i++) {
        size_t begun = 0;
        for (size_t k = 0; k < arrlenu(model->meshes); k++) {
            size_t end = model->lods[i].ends[k];
            part.mesh = &model->meshes[k];
            part.indices = 3 * (end - begun);
            append(at, &part, out);
            part.first += part.indices;
            part.number++;
            begun = end;
        }
    }
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

static void append_triangles(const struct static_lod *lod, struct bytes *out)
{
    for (size_t i = 0; i < arrlenu(lod->triangles); i++)
        for (int k = 0; k < 3; k++)
            bytes_u16(out, lod->triangles[i].vertices[k]);
}

void static_model_vtx(const struct static_model *model, uint32_t checksum, int32_t mdl_version,
                      struct bytes *out)
{
    const struct layout at = layout_of(model, mdl_version);
    size_t meshes = arrlenu(model->meshes), lods = arrlenu(model->lods);
    struct bytes file = {0};
    append_header(&at, checksum, lods, &file);
    for (size_t i = 0; i < lods; i++)
        append_lod(&at, &model->lods[i], i, meshes, &file);
    for (size_t i = 0; i < lods * meshes; i++)
        append_mesh(&at, i, &file);
    for_each_part(model, &at, append_group, &file);
    for_each_part(model, &at, append_strip, &file);
    for (size_t i = 0; i < meshes; i++)
        append_vertices(&model->meshes[i], &file);
    for (size_t i = 0; i < lods; i++)
        append_triangles(&model->lods[i], &file);
    for (size_t i = 0; i < lods; i++)
        bytes_fill(&file, 0, VTX_REPLACEMENTS);
    bytes_append(out, file.data, file.size);
    bytes_free(&file);
}
