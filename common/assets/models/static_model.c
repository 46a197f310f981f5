#include "common/assets/models/static_model.h"

#include <string.h>

#include "common/assets/models/mdl.h"
#include "common/assets/models/vtx_records.h"
#include "common/core/array.h"
#include "common/core/sha256.h"

/* The VTX of a static model: for each level of detail a strip group with one strip, a list of
 * triangles, for each mesh. Records of a kind follow each other: levels, meshes, groups, strips,
 * then vertices, which all levels share, and indices. */

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

typedef void append_record(const struct layout *at, const struct part *part, struct bytes *out);

static void for_each_part(const struct static_model *model, const struct layout *at,
                          append_record *append, struct bytes *out)
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

/* --- static model --- */

enum { STATIC_MESH_VERTICES_MAX = 65535 };

enum {
    NAME = 64,
    TEXTURE = 64,
    PART = 16,
    MODEL = 148,
    MESH = 116,
    VVD_HEADER = 64,
    VVD_VERTEX = 48,
    PHY_HEADER = 16,
};

uint32_t static_model_checksum(const struct static_model *model)
{
    struct sha256 hash;
    unsigned char sum[SHA256_SIZE];
    sha256_begin(&hash);
    sha256_add(&hash, model->name, strlen(model->name));
    for (size_t i = 0; i < arrlenu(model->materials); i++)
        sha256_add(&hash, model->materials[i], strlen(model->materials[i]) + 1);
    sha256_add(&hash, model->meshes, arrlenu(model->meshes) * sizeof *model->meshes);
    sha256_add(&hash, model->vertices, arrlenu(model->vertices) * sizeof *model->vertices);
    for (size_t i = 0; i < arrlenu(model->lods); i++) {
        const struct static_lod *lod = &model->lods[i];
        sha256_add(&hash, lod->triangles, arrlenu(lod->triangles) * sizeof *lod->triangles);
    }
    sha256_end(&hash, sum);
    return load_u32(sum);
}

/* --- MDL --- */

static void put(struct bytes *out, size_t at, size_t value)
{
    store_u32(ORDER_LITTLE, out->data + at, (uint32_t)value);
}

static void put_vector(struct bytes *out, size_t at, struct vec3 value)
{
    struct bytes three = {0};
    for (int k = 0; k < 3; k++)
        bytes_f32(&three, (float)value.e[k]);
    memcpy(out->data + at, three.data, three.size);
    bytes_free(&three);
}

/* Appends zeros for records, and returns where they are. */
static size_t reserve(struct bytes *out, size_t size)
{
    bytes_align(out, 4);
    size_t at = out->size;
    bytes_fill(out, 0, size);
    return at;
}

static size_t append_name(struct bytes *out, const char *text)
{
    size_t at = out->size;
    bytes_append(out, text, strlen(text) + 1);
    return at;
}

static void put_name(struct bytes *out, size_t at, const char *name)
{
    memset(out->data + at, 0, NAME);
    strncpy((char *)out->data + at, name, NAME - 1);
}

/* One folder, "", since the names of materials are whole; one skin. */
static void append_materials(const struct static_model *model, struct bytes *out)
{
    size_t count = arrlenu(model->materials), textures = reserve(out, count * TEXTURE);
    size_t folders = reserve(out, 4), skins = reserve(out, count * 2);
    for (size_t i = 0; i < count; i++) {
        size_t at = textures + i * TEXTURE;
        store_u16(ORDER_LITTLE, out->data + skins + 2 * i, (uint16_t)i);
        put(out, at, append_name(out, model->materials[i]) - at);
    }
    put(out, folders, append_name(out, ""));
    put(out, 204, count);
    put(out, 208, textures);
    put(out, 212, 1);
    put(out, 216, folders);
    put(out, 220, count);
    put(out, 224, 1);
    put(out, 228, skins);
}

/* A mesh has the same number of vertices at each level of detail. */
static void put_mesh(const struct static_mesh *mesh, size_t number, size_t model_at, size_t at,
                     struct bytes *out)
{
    put(out, at, (size_t)mesh->material);
    put(out, at + 4, model_at - at);
    put(out, at + 8, (size_t)mesh->vertex_count);
    put(out, at + 12, (size_t)mesh->first_vertex);
    put(out, at + 32, number);
    for (size_t lod = 0; lod < MODEL_LODS; lod++)
        put(out, at + 52 + 4 * lod, (size_t)mesh->vertex_count);
}

static void append_part(const struct static_model *model, struct bytes *out)
{
    size_t meshes = arrlenu(model->meshes);
    size_t part = reserve(out, PART), at = reserve(out, MODEL), list = reserve(out, meshes * MESH);
    put(out, part + 4, 1);
    put(out, part + 8, 1);
    put(out, part + 12, at - part);
    put_name(out, at, model->name);
    put(out, at + 72, meshes);
    put(out, at + 76, list - at);
    put(out, at + 80, arrlenu(model->vertices));
    for (size_t i = 0; i < meshes; i++)
        put_mesh(&model->meshes[i], i, at, list + i * MESH, out);
    put(out, part, append_name(out, "studio") - part);
    put(out, 232, 1);
    put(out, 236, part);
}

void static_model_mdl(const struct static_model *model, uint32_t checksum, const struct bytes *like,
                      struct bytes *out)
{
    struct bytes file = {0};
    bytes_append(&file, like->data, like->size);
    append_materials(model, &file);
    append_part(model, &file);
    put(&file, 8, checksum);
    put_name(&file, 12, model->name);
    put_vector(&file, 92, model->illumination);
    put_vector(&file, 104, model->hull.mins);
    put_vector(&file, 116, model->hull.maxs);
    put_vector(&file, 128, vec3(0, 0, 0)); /* the view box: none, as real models have it */
    put_vector(&file, 140, vec3(0, 0, 0));
    put(&file, 76, file.size);
    bytes_append(out, file.data, file.size);
    bytes_free(&file);
}

/* --- VVD --- */

static void append_vertex(const struct model_vertex *vertex, struct bytes *out)
{
    bytes_f32(out, 1); /* all of its weight is on bone 0 */
    bytes_f32(out, 0);
    bytes_f32(out, 0);
    bytes_u32(out, 1U << 24);
    for (int k = 0; k < 3; k++)
        bytes_f32(out, vertex->p[k]);
    for (int k = 0; k < 3; k++)
        bytes_f32(out, vertex->normal[k]);
    bytes_f32(out, vertex->uv[0]);
    bytes_f32(out, vertex->uv[1]);
}

void static_model_vvd(const struct static_model *model, uint32_t checksum, struct bytes *out)
{
    size_t count = arrlenu(model->vertices);
    bytes_append(out, "IDSV", 4);
    bytes_i32(out, 4);
    bytes_u32(out, checksum);
    bytes_i32(out, (int32_t)arrlen(model->lods));
    for (int lod = 0; lod < MODEL_LODS; lod++)
        bytes_u32(out, (uint32_t)count);
    bytes_u32(out, 0); /* fixups */
    bytes_u32(out, VVD_HEADER);
    bytes_u32(out, VVD_HEADER);
    bytes_u32(out, (uint32_t)(VVD_HEADER + count * VVD_VERTEX));
    for (size_t i = 0; i < count; i++)
        append_vertex(&model->vertices[i], out);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 4; k++)
            bytes_f32(out, model->tangents[i].p[k]);
}

/* --- PHY --- */

void static_model_phy(const struct static_phy *phy, uint32_t checksum, const struct bytes *solid,
                      struct bytes *out)
{
    bytes_u32(out, PHY_HEADER);
    bytes_u32(out, 0);
    bytes_u32(out, 1);
    bytes_u32(out, checksum);
    bytes_sized_block(out, solid);
    bytes_append_text(out,
                      "solid {\n\"index\" \"0\"\n\"name\" \"%s\"\n\"mass\" \"1.000000\"\n"
                      "\"surfaceprop\" \"%s\"\n\"damping\" \"0.000000\"\n"
                      "\"rotdamping\" \"0.000000\"\n\"inertia\" \"1.000000\"\n"
                      "\"volume\" \"%.6f\"\n}\n"
                      "editparams {\n\"rootname\" \"\"\n\"totalmass\" \"1.000000\"\n"
                      "\"concave\" \"1\"\n}\n",
                      phy->name, phy->surface_prop, phy->volume);
    bytes_u8(out, 0);
}

void static_model_free(struct static_model *model)
{
    arrfree(model->materials);
    arrfree(model->meshes);
    arrfree(model->vertices);
    arrfree(model->tangents);
    for (size_t i = 0; i < arrlenu(model->lods); i++) {
        arrfree(model->lods[i].triangles);
        arrfree(model->lods[i].ends);
    }
    arrfree(model->lods);
    *model = (struct static_model){0};
}
