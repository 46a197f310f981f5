#include <stdlib.h>

#include "common/bsp/codec.h"
#include "common/core/array.h"

enum {
    HEADER_SIZE = 1036,
    DIRECTORY_AT = 8,
    DIRECTORY_ENTRY = 16,
    REVISION_AT = 1032,
    GAME_LUMP_ENTRY = 16,
    GAME_LUMP_COMPRESSED = 1, /* flag */
    NAME_SIZE = 128,          /* of a texture, with its NUL; the engine's limit */
    NAMES_MAX = 65536,
};

struct reader {
    const struct bsp_codec *codec;
    const unsigned char *data;
    size_t size;
    struct diag *diag;
    struct diag_where where;
    struct bsp *bsp;
};

static enum status fail(struct reader *reader, enum diag_code code, int lump, const char *what)
{
    return diag_report(reader->diag, code, &reader->where, "lump %d: %s", lump, what);
}

static struct byte_reader lump_data(const struct reader *reader, int lump)
{
    const struct bsp_layout *layout = &reader->bsp->layout;
    if (!layout->length[lump])
        return byte_reader("", 0);
    return byte_reader(reader->data + layout->offset[lump], (size_t)layout->length[lump]);
}

static enum status read_directory_entry(struct reader *reader, int lump)
{
    const unsigned char *entry =
        reader->data + DIRECTORY_AT + (size_t)lump * (size_t)DIRECTORY_ENTRY;
    struct bsp_raw_lump *raw = &reader->bsp->carried[lump];
    struct bsp_layout *layout = &reader->bsp->layout;
    int64_t offset = (int32_t)load_u32(entry), length = (int32_t)load_u32(entry + 4);
    raw->version = (int32_t)load_u32(entry + 8);
    memcpy(raw->four_cc, entry + 12, sizeof raw->four_cc);
    raw->present = offset != 0 || length != 0;
    layout->offset[lump] = offset;
    layout->length[lump] = length;
    if (!length)
        return STATUS_OK;
    int64_t size = (int64_t)reader->size;
    if (length < 0 || offset < HEADER_SIZE || offset > size || length > size - offset)
        return diag_report(reader->diag, DIAG_BSP_TRUNCATED, &reader->where,
                           "lump %d is said to lie at %lld with %lld bytes; the file has %lld",
                           lump, (long long)offset, (long long)length, (long long)size);
    if (load_u32(raw->four_cc) != 0 && vbsp_has_codec(reader->codec, lump))
        return fail(reader, DIAG_BSP_COMPRESSED, lump, "its data are compressed");
    return STATUS_OK;
}

struct place {
    int64_t offset, length;
    int32_t lump;
};

/* The place of a lump in the usual order; behind all when it has none. */
static ptrdiff_t usual_place(int lump)
{
    const uint8_t *at = memchr(vbsp_order, lump, sizeof vbsp_order);
    return at ? at - vbsp_order : VBSP_ORDER + lump;
}

/* Empty lumps come before what they do not move, and among themselves in the usual order: so a
 * stage finds a file of an earlier one in the order in which one program would have written it. */
static int by_place(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    if (p->offset != q->offset)
        return p->offset < q->offset ? -1 : 1;
    if (!p->length != !q->length)
        return p->length ? 1 : -1;
    return usual_place(p->lump) < usual_place(q->lump) ? -1 : 1;
}

/* Order of the lumps, and what fills the file between them. */
static void read_layout(struct reader *reader)
{
    struct bsp_layout *layout = &reader->bsp->layout;
    struct place places[BSP_LUMPS];
    for (int lump = 0; lump < BSP_LUMPS; lump++)
        if (reader->bsp->carried[lump].present)
            places[layout->count++] =
                (struct place){layout->offset[lump], layout->length[lump], lump};
    qsort(places, (size_t)layout->count, sizeof places[0], by_place);
    layout->size = (int64_t)reader->size;
    int64_t end = HEADER_SIZE;
    for (int i = 0; i < layout->count; i++) {
        const struct place *place = &places[i];
        layout->order[i] = place->lump;
        if (place->offset >= end && place->offset <= layout->size) {
            bytes_append(&layout->padding, reader->data + end, (size_t)(place->offset - end));
            end = place->offset;
        }
        if (place->length && place->offset + place->length > end)
            end = place->offset + place->length;
    }
    bytes_append(&layout->padding, reader->data + end, (size_t)(layout->size - end));
}

static enum status read_array(struct reader *reader, const struct lump_array *array)
{
    struct byte_reader data = lump_data(reader, array->lump);
    const struct record *record = array->record;
    if (data.size % record->file_size)
        return diag_report(reader->diag, DIAG_BSP_LUMP, &reader->where,
                           "lump %d (one %s after another) has %zu bytes, no multiple of %zu",
                           array->lump, record->name, data.size, record->file_size);
    size_t count = data.size / record->file_size;
    void *records =
        array_make((unsigned char *)reader->bsp + array->offset, count, record->memory_size);
    record_decode(record, data.data, count, records);
    return STATUS_OK;
}

static enum status read_ambient(struct reader *reader, int lump, struct bsp_light_set *set)
{
    struct byte_reader data = lump_data(reader, lump);
    bool indexed = arrlenu(set->ambient_index) > 0;
    const struct record *record = vbsp_ambient_record(indexed);
    size_t count = data.size / record->file_size;
    if (data.size % record->file_size ||
        (!indexed && count && count != arrlenu(reader->bsp->leaves)))
        return fail(reader, DIAG_BSP_LUMP, lump,
                    "the size fits neither the samples of an index nor one sample a leaf");
    struct bsp_ambient *samples = array_make(&set->ambient, count, record->memory_size);
    record_decode(record, data.data, count, samples);
    for (size_t i = 0; i < count && !indexed; i++)
        memset(samples[i].position, 128, sizeof samples[i].position); /* the middle of the leaf */
    return STATUS_OK;
}

static void read_blob(struct reader *reader, int lump, struct bytes *out)
{
    struct byte_reader data = lump_data(reader, lump);
    bytes_append(out, data.data, data.size);
}

static void read_entities(struct reader *reader)
{
    struct byte_reader data = lump_data(reader, LUMP_ENTITIES);
    if (data.size && data.data[data.size - 1] == '\0')
        data.size--;
    char *text = array_make(&reader->bsp->entities, data.size, 1);
    if (data.size)
        memcpy(text, data.data, data.size);
}

static enum status read_names(struct reader *reader)
{
    struct byte_reader table = lump_data(reader, LUMP_TEXDATASTRINGTABLE);
    struct byte_reader text = lump_data(reader, LUMP_TEXDATASTRINGDATA);
    size_t count = table.size / 4;
    if (table.size % 4 || count > NAMES_MAX)
        return fail(reader, DIAG_BSP_LUMP, LUMP_TEXDATASTRINGTABLE,
                    "the size is not that of a table of texture names");
    for (size_t i = 0; i < count; i++) {
        uint32_t at = read_u32(&table);
        size_t most = at < text.size ? text.size - at : 0;
        const unsigned char *name = text.data + (most ? at : 0);
        const unsigned char *end =
            most ? memchr(name, 0, most < NAME_SIZE ? most : NAME_SIZE) : NULL;
        if (!end)
            return diag_report(reader->diag, DIAG_BSP_RANGE, &reader->where,
                               "lump %d: texture name %zu is no text of less than %d bytes",
                               LUMP_TEXDATASTRINGTABLE, i, NAME_SIZE);
        size_t size = (size_t)(end - name) + 1;
        char *copy = memory_alloc(size);
        memcpy(copy, name, size);
        arrput(reader->bsp->texture_names, copy);
    }
    return STATUS_OK;
}

/* Each lies inside lump 35, behind the directory; together they are no larger than it. */
static enum status read_game_lumps(struct reader *reader)
{
    struct byte_reader data = lump_data(reader, LUMP_GAMELUMP);
    if (!data.size)
        return STATUS_OK;
    int64_t lump_at = reader->bsp->layout.offset[LUMP_GAMELUMP];
    size_t count = read_u32(&data);
    if (data.failed || count > (data.size - 4) / GAME_LUMP_ENTRY)
        return fail(reader, DIAG_BSP_LUMP, LUMP_GAMELUMP, "the directory is longer than the lump");
    size_t left = data.size - 4 - count * GAME_LUMP_ENTRY;
    for (size_t i = 0; i < count; i++) {
        struct bsp_game_lump lump = {.id = read_u32(&data)};
        lump.flags = read_u16(&data);
        lump.version = read_u16(&data);
        int64_t at = (int64_t)read_i32(&data) - lump_at;
        size_t size = read_u32(&data);
        if (lump.flags & GAME_LUMP_COMPRESSED)
            return fail(reader, DIAG_BSP_COMPRESSED, LUMP_GAMELUMP, "a game lump is compressed");
        if (size > left || (size && (at < 0 || (uint64_t)at > data.size - size)))
            return diag_report(reader->diag, DIAG_BSP_RANGE, &reader->where,
                               "lump %d: game lump %zu lies outside of it", LUMP_GAMELUMP, i);
        left -= size;
        if (size)
            bytes_append(&lump.data, data.data + at, size);
        arrput(reader->bsp->game_lumps, lump);
    }
    return STATUS_OK;
}

static void read_map_flags(struct reader *reader)
{
    struct byte_reader data = lump_data(reader, LUMP_MAPFLAGS);
    reader->bsp->map_flags = read_u32(&data);
}

static enum status read_lumps(struct reader *reader)
{
    struct bsp *bsp = reader->bsp;
    for (size_t i = 0; i < reader->codec->array_count; i++)
        TRY(read_array(reader, &reader->codec->arrays[i]));
    TRY(read_ambient(reader, LUMP_LEAFAMBIENT, &bsp->ldr));
    TRY(read_ambient(reader, LUMP_LEAFAMBIENT_HDR, &bsp->hdr));
    read_entities(reader);
    TRY(read_names(reader));
    TRY(read_game_lumps(reader));
    read_map_flags(reader);
    read_blob(reader, LUMP_VISIBILITY, &bsp->visibility);
    read_blob(reader, LUMP_LIGHTING, &bsp->ldr.lighting);
    read_blob(reader, LUMP_LIGHTING_HDR, &bsp->hdr.lighting);
    read_blob(reader, LUMP_PAKFILE, &bsp->pakfile);
    for (int lump = 0; lump < BSP_LUMPS; lump++)
        if (!vbsp_has_codec(reader->codec, lump))
            read_blob(reader, lump, &bsp->carried[lump].data);
    return STATUS_OK;
}

/* Keeps the file's own bytes of each lump that our codec writes in another way. */
static void keep_respelled(struct reader *reader)
{
    struct bsp *bsp = reader->bsp;
    for (int lump = 0; lump < BSP_LUMPS; lump++) {
        if (!vbsp_has_codec(reader->codec, lump))
            continue;
        struct byte_reader data = lump_data(reader, lump);
        struct bytes ours = {0};
        struct record_misfit misfit;
        size_t at = (size_t)bsp->layout.offset[lump];
        bool same = vbsp_encode_lump(reader->codec, bsp, bsp->format, lump, at, &ours, &misfit) &&
                    ours.size == data.size &&
                    (!data.size || !memcmp(ours.data, data.data, data.size));
        if (!same) {
            struct bsp_respelled respelled = {.lump = lump};
            bytes_append(&respelled.file, data.data, data.size);
            if (vbsp_encode_whole(reader->codec, bsp, bsp->format, lump, at, &respelled.ours,
                                  &misfit))
                arrput(bsp->layout.respelled, respelled);
        }
        bytes_free(&ours);
    }
}

enum status vbsp_decode(const struct bsp_codec *codec, const void *data, size_t size,
                        const char *name, struct diag *diag, struct bsp *bsp)
{
    struct reader reader = {codec, data, size, diag, {.file = name}, bsp};
    if (size < HEADER_SIZE)
        return diag_report(diag, DIAG_BSP_TRUNCATED, &reader.where,
                           "the file has %zu bytes, the header alone needs %d", size, HEADER_SIZE);
    for (int lump = 0; lump < BSP_LUMPS; lump++)
        TRY(read_directory_entry(&reader, lump));
    if (bsp->carried[LUMP_LEAFS].version != codec->leaf_version && bsp->layout.length[LUMP_LEAFS])
        return diag_report(diag, DIAG_BSP_LUMP, &reader.where,
                           "lump %d (leaves) has version %d; version %d is read", LUMP_LEAFS,
                           bsp->carried[LUMP_LEAFS].version, codec->leaf_version);
    bsp->revision = (int32_t)load_u32(reader.data + REVISION_AT);
    read_layout(&reader);
    TRY(read_lumps(&reader));
    keep_respelled(&reader);
    return STATUS_OK;
}
