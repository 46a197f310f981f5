/* Lumps of VBSP that are not plain arrays. */
#include "common/bsp/codec/codec.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_records.def"

enum {
    NAME_SIZE = 128, /* of a texture, with its NUL; the engine's limit */
    NAMES_MAX = 65536,
    CUBE_SIZE = 24,
    LEAF_WITH_LIGHT = 56, /* 30 bytes of leaf, the cube, 2 of padding */
};

struct bytes *vbsp_blob_to_read(const struct lump_reader *reader)
{
    const struct lump_codec *lump = codec_find(reader->codec, reader->lump, reader->version);
    return (struct bytes *)((unsigned char *)reader->bsp + lump->offset);
}

const struct bytes *vbsp_blob_to_write(const struct lump_writer *writer)
{
    const struct lump_codec *lump = codec_find(writer->codec, writer->lump, writer->version);
    return (const struct bytes *)((const unsigned char *)writer->bsp + lump->offset);
}

enum status vbsp_read_blob(struct lump_reader *reader)
{
    codec_read_blob(reader, vbsp_blob_to_read(reader));
    return STATUS_OK;
}

/* Borrows the bytes when *out is empty: light and packed files are most of a file. */
static void lend(const struct bytes *blob, struct bytes *out)
{
    if (!out->capacity && !out->size)
        *out = (struct bytes){.data = blob->data, .size = blob->size, .order = out->order};
    else
        bytes_append(out, blob->data, blob->size);
}

bool vbsp_write_blob(struct lump_writer *writer)
{
    lend(vbsp_blob_to_write(writer), writer->out);
    return true;
}

/* Up to version 19 the ambient cube is in the leaf. */
enum status vbsp_read_leaves_with_light(struct lump_reader *reader)
{
    struct bsp *bsp = reader->bsp;
    struct byte_reader *data = &reader->data;
    size_t count = data->size / LEAF_WITH_LIGHT;
    if (data->size % LEAF_WITH_LIGHT)
        return codec_fail(reader, DIAG_BSP_LUMP, "%zu bytes, not a multiple of %d", data->size,
                          LEAF_WITH_LIGHT);
    struct bsp_leaf *leaves = array_make(&bsp->leaves, count, sizeof *leaves);
    struct bsp_ambient *cubes = array_make(&bsp->ldr.ambient, count, sizeof *cubes);
    for (size_t i = 0; i < count; i++) {
        const unsigned char *at = data->data + i * LEAF_WITH_LIGHT;
        record_decode(&vbsp_bare_leaf_record, data->order, at, 1, &leaves[i]);
        record_decode(&vbsp_ambient_cube_record, data->order, at + vbsp_bare_leaf_record.file_size,
                      1, &cubes[i]);
        memset(cubes[i].position, 128, sizeof cubes[i].position); /* the middle of the leaf */
    }
    return STATUS_OK;
}

bool vbsp_write_leaves_with_light(struct lump_writer *writer)
{
    const struct bsp *bsp = writer->bsp;
    const struct bsp_ambient dark = {0};
    bool lit = arrlenu(bsp->ldr.ambient) == arrlenu(bsp->leaves);
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++) {
        bool fits = record_encode(&vbsp_bare_leaf_record, &bsp->leaves[i], 1, writer->out,
                                  &writer->range_error);
        writer->range_error.record = i;
        if (!fits || !record_encode(&vbsp_ambient_cube_record, lit ? &bsp->ldr.ambient[i] : &dark,
                                    1, writer->out, &writer->range_error))
            return false;
        bytes_fill(writer->out, 0, 2);
    }
    return true;
}

static struct bsp_light_set *light_set(struct bsp *bsp, int lump)
{
    return lump == LUMP_LEAFAMBIENT_HDR ? &bsp->hdr : &bsp->ldr;
}

enum status vbsp_read_ambient(struct lump_reader *reader)
{
    struct bsp_light_set *set = light_set(reader->bsp, reader->lump);
    struct byte_reader *data = &reader->data;
    bool indexed = arrlenu(set->ambient_index) > 0;
    const struct record *record = indexed ? &vbsp_ambient_record : &vbsp_ambient_cube_record;
    size_t count = data->size / record->file_size;
    if (data->size % record->file_size ||
        (!indexed && count && count != arrlenu(reader->bsp->leaves)))
        return codec_fail(reader, DIAG_BSP_LUMP,
                          "size matches neither the samples of an index nor one sample per leaf");
    if (!count)
        return STATUS_OK;
    struct bsp_ambient *samples = array_make(&set->ambient, count, record->memory_size);
    record_decode(record, data->order, data->data, count, samples);
    for (size_t i = 0; i < count && !indexed; i++)
        memset(samples[i].position, 128, sizeof samples[i].position);
    return STATUS_OK;
}

bool vbsp_write_ambient(struct lump_writer *writer)
{
    const struct bsp_light_set *set =
        writer->lump == LUMP_LEAFAMBIENT_HDR ? &writer->bsp->hdr : &writer->bsp->ldr;
    bool indexed = arrlenu(set->ambient_index) > 0;
    if (writer->format->ambient == AMBIENT_IN_LEAF && !indexed)
        return true; /* it is in the leaves */
    return record_encode(indexed ? &vbsp_ambient_record : &vbsp_ambient_cube_record, set->ambient,
                         arrlenu(set->ambient), writer->out, &writer->range_error);
}

enum status vbsp_read_entities(struct lump_reader *reader)
{
    size_t size = reader->data.size;
    if (size && reader->data.data[size - 1] == '\0')
        size--;
    char *text = array_make(&reader->bsp->entities, size, 1);
    if (size)
        memcpy(text, reader->data.data, size);
    return STATUS_OK;
}

bool vbsp_write_entities(struct lump_writer *writer)
{
    const char *entities = writer->bsp->entities;
    if (!arrlenu(entities))
        return true;
    bytes_append(writer->out, entities, arrlenu(entities));
    bytes_u8(writer->out, 0);
    return true;
}

/* Converts the count and the table of offsets; the rows are bytes. */
static void reorder_visibility(const struct byte_reader *in, struct bytes *out)
{
    struct byte_reader data = *in;
    uint64_t words = 1 + 2 * (uint64_t)read_u32(&data);
    data.at = 0;
    for (uint64_t i = 0; i < words && data.size - data.at >= 4; i++)
        bytes_u32(out, read_u32(&data));
    bytes_append(out, data.data + data.at, data.size - data.at);
}

enum status vbsp_read_visibility(struct lump_reader *reader)
{
    if (reader->data.size && reader->data.size < 4)
        return codec_fail(reader, DIAG_BSP_LUMP, "too short for a count");
    if (reader->data.order == ORDER_LITTLE)
        codec_read_blob(reader, &reader->bsp->visibility);
    else
        reorder_visibility(&reader->data, &reader->bsp->visibility);
    return STATUS_OK;
}

bool vbsp_write_visibility(struct lump_writer *writer)
{
    const struct bytes *visibility = &writer->bsp->visibility;
    struct byte_reader data = byte_reader(visibility->data, visibility->size);
    if (writer->out->order == ORDER_LITTLE || visibility->size < 4)
        lend(visibility, writer->out);
    else
        reorder_visibility(&data, writer->out);
    return true;
}

/* Reads the table of names, whose text is in another lump. */
enum status vbsp_read_names(struct lump_reader *reader)
{
    struct bytes unpacked = {0};
    struct byte_reader *table = &reader->data, text;
    size_t count = table->size / 4;
    if (table->size % 4 || count > NAMES_MAX)
        return codec_fail(reader, DIAG_BSP_LUMP, "invalid size of a texture name table");
    TRY(container_lump(reader->container, LUMP_TEXDATASTRINGDATA, reader->diag, &unpacked, &text));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        uint32_t at = read_u32(table);
        size_t max = at < text.size ? text.size - at : 0;
        const unsigned char *name = text.data + (max ? at : 0);
        const unsigned char *end = max ? memchr(name, 0, max < NAME_SIZE ? max : NAME_SIZE) : NULL;
        if (!end) {
            status =
                codec_fail(reader, DIAG_BSP_RANGE,
                           "texture name %zu is not a string of less than %d bytes", i, NAME_SIZE);
            break;
        }
        size_t size = (size_t)(end - name) + 1;
        char *copy = memory_alloc(size);
        memcpy(copy, name, size);
        arrput(reader->bsp->texture_names, copy);
    }
    bytes_free(&unpacked);
    return status;
}

bool vbsp_write_names(struct lump_writer *writer)
{
    const struct bsp *bsp = writer->bsp;
    for (size_t i = 0; i < arrlenu(bsp->texture_names); i++)
        bytes_append(writer->out, bsp->texture_names[i], strlen(bsp->texture_names[i]) + 1);
    return true;
}

bool vbsp_write_name_table(struct lump_writer *writer)
{
    const struct bsp *bsp = writer->bsp;
    size_t at = 0;
    for (size_t i = 0; i < arrlenu(bsp->texture_names); i++) {
        bytes_u32(writer->out, (uint32_t)at);
        at += strlen(bsp->texture_names[i]) + 1;
    }
    return true;
}

/* Reads one of the three lists of lump 9: a count, then the records. */
static enum status read_list(struct lump_reader *reader, const struct record *record, void *array)
{
    struct byte_reader *data = &reader->data;
    size_t count = read_u32(data);
    if (data->failed || count > (data->size - data->at) / record->file_size)
        return codec_fail(reader, DIAG_BSP_LUMP, "too short for its list (%s)", record->name);
    void *records = array_make(array, count, record->memory_size);
    record_decode(record, data->order, data->data + data->at, count, records);
    data->at += count * record->file_size;
    return STATUS_OK;
}

static const struct record_field vertex_index_fields[] = {RECORD_SCALAR(I32)};
static const struct record vertex_index = RECORD("vertex index", int32_t, 4, vertex_index_fields);

static const struct record *occluder_record(int32_t version)
{
    return version < 2 ? &vbsp_occluder_v1_record : &vbsp_occluder_record;
}

enum status vbsp_read_occluders(struct lump_reader *reader)
{
    struct bsp *bsp = reader->bsp;
    if (!reader->data.size)
        return STATUS_OK;
    TRY(read_list(reader, occluder_record(reader->version), &bsp->occluders));
    TRY(read_list(reader, &vbsp_occluder_polygon_record, &bsp->occluder_polygons));
    TRY(read_list(reader, &vertex_index, &bsp->occluder_vertices));
    return STATUS_OK;
}

static bool write_list(struct lump_writer *writer, const struct record *record, const void *array,
                       size_t count)
{
    bytes_u32(writer->out, (uint32_t)count);
    return record_encode(record, array, count, writer->out, &writer->range_error);
}

bool vbsp_write_occluders(struct lump_writer *writer)
{
    const struct bsp *bsp = writer->bsp;
    return write_list(writer, occluder_record(writer->version), bsp->occluders,
                      arrlenu(bsp->occluders)) &&
           write_list(writer, &vbsp_occluder_polygon_record, bsp->occluder_polygons,
                      arrlenu(bsp->occluder_polygons)) &&
           write_list(writer, &vertex_index, bsp->occluder_vertices,
                      arrlenu(bsp->occluder_vertices));
}

enum status vbsp_read_map_flags(struct lump_reader *reader)
{
    reader->bsp->map_flags = read_u32(&reader->data);
    return STATUS_OK;
}

bool vbsp_write_map_flags(struct lump_writer *writer)
{
    bytes_u32(writer->out, writer->bsp->map_flags);
    return true;
}

/* Without files: an empty zip archive with the comment by which the engine's own zip code
 * recognises its archives. */
bool vbsp_write_pakfile(struct lump_writer *writer)
{
    static const char comment[32] = "XZP1 0";
    if (writer->bsp->pakfile.size)
        return vbsp_write_blob(writer);
    bytes_append(writer->out, "PK\5\6", 4);
    bytes_fill(writer->out, 0, 16);
    bytes_append(writer->out, (const unsigned char[]){sizeof comment, 0}, 2);
    bytes_append(writer->out, comment, sizeof comment);
    return true;
}
