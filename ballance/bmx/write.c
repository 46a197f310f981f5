#include <string.h>

#include "ballance/bmx/bmx.h"
#include "common/core/array.h"
#include "common/diag/codes/bm_dumps.def"
#include "common/diag/codes/internal.def"
#include "common/io/zip.h"

enum { MAXIMUM_COMPRESSION = ZIP_UTF8 | ZIP_BEST, ZIP_2_0 = 20, DOS_1980_01_01 = 0x21 << 16 };

static void put_u64(struct bytes *out, uint64_t value)
{
    bytes_u32(out, (uint32_t)value);
    bytes_u32(out, (uint32_t)(value >> 32));
}

static void put_text(struct bytes *out, const struct bmx_text *text)
{
    bytes_u32(out, (uint32_t)arrlenu(text->points));
    for (size_t i = 0; i < arrlenu(text->points); i++)
        bytes_u32(out, text->points[i]);
}

static void put_floats(struct bytes *out, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bytes_u32(out, bits);
    }
}

static void put_object(struct bytes *out, const struct bmx_object *object)
{
    bytes_u8(out, object->is_component);
    bytes_u8(out, object->is_hidden);
    put_floats(out, object->matrix, 16);
    bytes_u32(out, (uint32_t)arrlenu(object->groups));
    for (size_t i = 0; i < arrlenu(object->groups); i++)
        put_text(out, &object->groups[i]);
    bytes_u32(out, object->mesh);
}

static void put_points(struct bytes *out, const struct bmx_point *points)
{
    bytes_u32(out, (uint32_t)arrlenu(points));
    for (size_t i = 0; i < arrlenu(points); i++)
        put_floats(out, points[i].xyz, 3);
}

static void put_mesh(struct bytes *out, const struct bmx_mesh *mesh)
{
    put_points(out, mesh->positions);
    bytes_u32(out, (uint32_t)arrlenu(mesh->uvs));
    for (size_t i = 0; i < arrlenu(mesh->uvs); i++)
        put_floats(out, mesh->uvs[i].uv, 2);
    put_points(out, mesh->normals);
    bytes_u32(out, (uint32_t)arrlenu(mesh->faces));
    for (size_t i = 0; i < arrlenu(mesh->faces); i++) {
        const struct bmx_face *face = &mesh->faces[i];
        for (int k = 0; k < 3; k++) {
            bytes_u32(out, face->corners[k].position);
            bytes_u32(out, face->corners[k].uv);
            bytes_u32(out, face->corners[k].normal);
        }
        bytes_u8(out, face->use_material);
        bytes_u32(out, face->material);
    }
}

static void put_material(struct bytes *out, const struct bmx_material *material)
{
    put_floats(out, material->ambient, 3);
    put_floats(out, material->diffuse, 3);
    put_floats(out, material->specular, 3);
    put_floats(out, material->emissive, 3);
    put_floats(out, &material->power, 1);
    bytes_u8(out, material->alpha_test);
    bytes_u8(out, material->alpha_blend);
    bytes_u8(out, material->z_buffer);
    bytes_u8(out, material->two_sided);
    bytes_u8(out, material->use_texture);
    bytes_u32(out, material->texture);
}

static void put_block(struct bytes *out, const struct bmx *bmx, enum bmx_kind kind, size_t block)
{
    switch (kind) {
    case BMX_OBJECT:
        put_object(out, &bmx->objects[block]);
        break;
    case BMX_MESH:
        put_mesh(out, &bmx->meshes[block]);
        break;
    case BMX_MATERIAL:
        put_material(out, &bmx->materials[block]);
        break;
    default:
        put_text(out, &bmx->textures[block].file_name);
        bytes_u8(out, bmx->textures[block].is_external);
        break;
    }
}

static uint64_t block_size(const struct bmx *bmx, enum bmx_kind kind, size_t block)
{
    uint64_t size;
    switch (kind) {
    case BMX_OBJECT: {
        const struct bmx_object *object = &bmx->objects[block];
        size = 74 + 4 * (uint64_t)arrlenu(object->groups);
        for (size_t i = 0; i < arrlenu(object->groups); i++)
            size += 4 * (uint64_t)arrlenu(object->groups[i].points);
        return size;
    }
    case BMX_MESH: {
        const struct bmx_mesh *mesh = &bmx->meshes[block];
        return 16 + 12 * (uint64_t)arrlenu(mesh->positions) + 8 * (uint64_t)arrlenu(mesh->uvs) +
               12 * (uint64_t)arrlenu(mesh->normals) + 41 * (uint64_t)arrlenu(mesh->faces);
    }
    case BMX_MATERIAL:
        return 61;
    default:
        return 5 + 4 * (uint64_t)arrlenu(bmx->textures[block].file_name.points);
    }
}

/* Writes the blocks of a kind, with the gaps between them. */
struct cursor {
    const struct bmx *bmx;
    enum bmx_kind kind;
    size_t block, gap;
    uint64_t offset;
};

static struct cursor cursor_begin(const struct bmx *bmx, enum bmx_kind kind)
{
    struct cursor cursor = {.bmx = bmx, .kind = kind};
    while (cursor.gap < arrlenu(bmx->gaps) && bmx->gaps[cursor.gap].kind != kind)
        cursor.gap++;
    return cursor;
}

/* Skips the gaps before the next block, or after the last; writes them unless `out` is NULL. */
static void pass_gaps(struct cursor *cursor, struct bytes *out)
{
    const struct bmx_gap *gaps = cursor->bmx->gaps;
    for (; cursor->gap < arrlenu(gaps) && gaps[cursor->gap].kind == cursor->kind &&
           gaps[cursor->gap].block == cursor->block;
         cursor->gap++) {
        const struct bytes *data = &gaps[cursor->gap].data;
        cursor->offset += data->size;
        if (out)
            bytes_append(out, data->data, data->size);
    }
}

static void pass_block(struct cursor *cursor)
{
    cursor->offset += block_size(cursor->bmx, cursor->kind, cursor->block);
    cursor->block++;
}

static void put_entry(struct bytes *out, struct cursor *cursor)
{
    pass_gaps(cursor, NULL);
    put_text(out, bmx_name(cursor->bmx, cursor->kind, cursor->block));
    bytes_u8(out, (uint8_t)cursor->kind);
    put_u64(out, cursor->offset);
    pass_block(cursor);
}

static void put_index(struct bytes *out, const struct bmx *bmx)
{
    struct cursor cursors[BMX_KINDS];
    bytes_u32(out, BMX_VERSION);
    for (int kind = 0; kind < BMX_KINDS; kind++)
        cursors[kind] = cursor_begin(bmx, (enum bmx_kind)kind);
    for (size_t i = 0; i < arrlenu(bmx->index); i++) {
        const struct bmx_entry *entry = &bmx->index[i];
        if (entry->type < BMX_KINDS) {
            put_entry(out, &cursors[entry->type]);
            continue;
        }
        put_text(out, &entry->name);
        bytes_u8(out, entry->type);
        put_u64(out, entry->offset);
    }
    if (!bmx->index)
        for (int kind = 0; kind < BMX_KINDS; kind++)
            while (cursors[kind].block < bmx_count(bmx, (enum bmx_kind)kind))
                put_entry(out, &cursors[kind]);
}

void bmx_encode_role(const struct bmx *bmx, enum bmx_role role, struct bytes *out)
{
    if (role == BMX_ROLE_INDEX) {
        put_index(out, bmx);
        return;
    }
    struct cursor cursor = cursor_begin(bmx, (enum bmx_kind)role);
    size_t count = bmx_count(bmx, cursor.kind);
    while (cursor.block < count) {
        pass_gaps(&cursor, out);
        put_block(out, bmx, cursor.kind, cursor.block);
        pass_block(&cursor);
    }
    pass_gaps(&cursor, out);
}

struct writer {
    const struct bmx *bmx;
    struct zip_writer zip;
    struct diag_where where;
    struct diag *diag;
};

static enum status put_member(struct writer *writer, const char *name, const struct bytes *data)
{
    static const struct zip_packing packing = {
        .method = ZIP_DEFLATED,
        .flags = MAXIMUM_COMPRESSION,
        .made_by = ZIP_2_0,
        .version_needed = ZIP_2_0,
        .time = DOS_1980_01_01,
    };
    return zip_add(&writer->zip, name, data->data, data->size, &packing, &writer->where,
                   writer->diag);
}

static enum status put_part(struct writer *writer, enum bmx_role role)
{
    struct bytes data = {0};
    bmx_encode_role(writer->bmx, role, &data);
    enum status status = put_member(writer, bmx_role_file(role), &data);
    bytes_free(&data);
    return status;
}

/* Writes block files that are not in the list of members: of a model that was not read from a
 * file. */
static enum status put_unlisted(struct writer *writer)
{
    static const enum bmx_role order[] = {BMX_ROLE_INDEX, BMX_ROLE_OBJECT, BMX_ROLE_MESH,
                                          BMX_ROLE_MATERIAL, BMX_ROLE_TEXTURE};
    const struct bmx_member *members = writer->bmx->members;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        size_t k = 0;
        while (k < arrlenu(members) && members[k].role != order[i])
            k++;
        if (k == arrlenu(members))
            TRY(put_part(writer, order[i]));
    }
    return STATUS_OK;
}

static enum status put_members(struct writer *writer)
{
    TRY(put_unlisted(writer));
    for (size_t i = 0; i < arrlenu(writer->bmx->members); i++) {
        const struct bmx_member *member = &writer->bmx->members[i];
        if (member->role == BMX_ROLE_FILE)
            TRY(put_member(writer, member->name, &member->data));
        else
            TRY(put_part(writer, member->role));
    }
    return STATUS_OK;
}

/* Checks that the index names each block once. */
static enum status check_index(const struct bmx *bmx, const struct diag_where *where,
                               struct diag *diag)
{
    size_t named[BMX_KINDS] = {0};
    for (size_t i = 0; i < arrlenu(bmx->index); i++)
        if (bmx->index[i].type < BMX_KINDS)
            named[bmx->index[i].type]++;
    for (int kind = 0; kind < BMX_KINDS && bmx->index; kind++)
        if (named[kind] != bmx_count(bmx, (enum bmx_kind)kind))
            return diag_report(diag, DIAG_INTERNAL, where, "index with %zu of %zu blocks",
                               named[kind], bmx_count(bmx, (enum bmx_kind)kind));
    return STATUS_OK;
}

enum status bmx_encode(const struct bmx *bmx, const char *name, struct diag *diag,
                       struct bytes *out)
{
    struct writer writer = {.bmx = bmx, .where.file = name, .diag = diag};
    if (bmx->incomplete)
        return diag_report(diag, DIAG_BMX_INCOMPLETE, &writer.where, "nothing written");
    TRY(check_index(bmx, &writer.where, diag));
    enum status status = put_members(&writer);
    if (status == STATUS_OK)
        status =
            zip_finish(&writer.zip, bmx->comment.data, bmx->comment.size, &writer.where, diag, out);
    zip_writer_free(&writer.zip);
    return status;
}
