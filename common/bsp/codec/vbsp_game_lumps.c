/* Lump 35 of VBSP, a directory of its own with individually compressed lumps, and the physics
 * lumps, whose byte order only their own module can convert. */
#include "common/bsp/codec/codec.h"
#include "common/bsp/lumps/physics.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_files.def"
#include "common/diag/codes/bsp_records.def"
#include "common/io/lzma.h"

enum {
    ENTRY = 16,
    COMPRESSED = 1, /* flag */
    ALIGNMENT = 4,
    UNPACKED_MAX = 128 << 20,
    SPRP = 0x73707270,
    DPRP = 0x64707270,
};

struct game_entry {
    uint32_t id;
    uint16_t flags, version;
    int64_t offset; /* in lump 35 */
    uint32_t size;  /* unpacked */
};

static struct game_entry *read_entries(struct byte_reader *data, size_t count)
{
    struct game_entry *entries = NULL;
    for (size_t i = 0; i < count; i++) {
        struct game_entry entry = {.id = read_u32(data)};
        entry.flags = read_u16(data);
        entry.version = read_u16(data);
        entry.offset = read_i32(data);
        entry.size = read_u32(data);
        arrput(entries, entry);
    }
    return entries;
}

/* Returns the end of the entry's bytes; for a packed one it is the offset of the next entry. */
static int64_t end_of(const struct game_entry *entries, size_t i, int64_t lump_size)
{
    if (!(entries[i].flags & COMPRESSED))
        return entries[i].offset + entries[i].size;
    return i + 1 < arrlenu(entries) ? entries[i + 1].offset : lump_size;
}

static bool lie_inside(const struct game_entry *entries, int64_t lump_size)
{
    int64_t left = lump_size - 4 - (int64_t)(arrlenu(entries) * ENTRY);
    for (size_t i = 0; i < arrlenu(entries); i++) {
        int64_t end = end_of(entries, i, lump_size);
        if (!entries[i].size)
            continue;
        if (entries[i].offset < 0 || end < entries[i].offset || end > lump_size)
            return false;
        left -= end - entries[i].offset;
    }
    return left >= 0;
}

/* Offsets count from the start of the file; on consoles, from that of the lump. */
static bool place_entries(struct lump_reader *reader, struct game_entry *entries)
{
    int64_t lump_at = reader->container->lumps[LUMP_GAMELUMP].offset;
    int64_t size = (int64_t)reader->data.size;
    for (size_t i = 0; i < arrlenu(entries); i++)
        entries[i].offset -= lump_at;
    if (lie_inside(entries, size))
        return true;
    for (size_t i = 0; i < arrlenu(entries); i++)
        entries[i].offset += lump_at;
    reader->bsp->encoding.relative_game_lumps = true;
    return lie_inside(entries, size);
}

static enum status unpack(struct lump_reader *reader, const struct game_entry *entry,
                          const unsigned char *data, size_t size, struct bytes *out)
{
    if (!(entry->flags & COMPRESSED)) {
        bytes_append(out, data, entry->size);
        return STATUS_OK;
    }
    if (lzma_lump_size(data, size) != entry->size)
        return codec_fail(reader, DIAG_BSP_COMPRESSED,
                          "game lump with an invalid LZMA header for %u bytes", entry->size);
    reader->bsp->encoding.compressed = true;
    return lzma_unpack_lump(data, size, entry->size, &reader->where, reader->diag, out);
}

/* Converts to little-endian, if the layout is known. */
static bool to_little(struct lump_reader *reader, struct bsp_game_lump *lump)
{
    struct bytes little = {0};
    if (reader->data.order == ORDER_LITTLE)
        return true;
    bool known =
        game_lump_reorder(lump->id, lump->version, ORDER_BIG, ORDER_LITTLE, &lump->data, &little);
    if (known) {
        bytes_free(&lump->data);
        lump->data = little;
    } else {
        bytes_free(&little);
    }
    return known;
}

static enum status read_entry(struct lump_reader *reader, const struct game_entry *entries,
                              size_t i)
{
    const struct game_entry *entry = &entries[i];
    struct bsp_game_lump lump = {.id = entry->id, .version = entry->version};
    lump.flags = entry->flags & (uint16_t)~COMPRESSED;
    enum status status = STATUS_OK;
    if (!entry->id && !entry->size && i + 1 == arrlenu(entries))
        return STATUS_OK; /* it only marks the end of the previous one */
    if (entry->size) {
        int64_t end = end_of(entries, i, (int64_t)reader->data.size);
        status = unpack(reader, entry, reader->data.data + entry->offset,
                        (size_t)(end - entry->offset), &lump.data);
    }
    if (status == STATUS_OK && lump.data.size && !to_little(reader, &lump))
        status = codec_fail(reader, DIAG_BSP_LUMP, "game lump %zu: unknown byte order", i);
    if (status == STATUS_OK)
        arrput(reader->bsp->game_lumps, lump);
    else
        bytes_free(&lump.data);
    return status;
}

static enum status check_packed(struct lump_reader *reader, const struct game_entry *entries)
{
    uint64_t total = 0;
    for (size_t i = 0; i < arrlenu(entries); i++)
        total += entries[i].flags & COMPRESSED ? entries[i].size : 0;
    if (total > UNPACKED_MAX)
        return codec_fail(reader, DIAG_BSP_COMPRESSED,
                          "game lumps unpack to %llu bytes; the maximum is %d",
                          (unsigned long long)total, UNPACKED_MAX);
    return STATUS_OK;
}

/* Each lies inside lump 35, after the directory; together they are no larger than it. */
enum status vbsp_read_game_lumps(struct lump_reader *reader)
{
    struct byte_reader *data = &reader->data;
    if (!data->size)
        return STATUS_OK;
    size_t count = read_u32(data);
    if (data->failed || count > (data->size - 4) / ENTRY)
        return codec_fail(reader, DIAG_BSP_LUMP, "directory longer than the lump");
    struct game_entry *entries = read_entries(data, count);
    enum status status = STATUS_OK;
    if (!place_entries(reader, entries))
        status = codec_fail(reader, DIAG_BSP_RANGE, "game lump outside of this lump");
    else
        status = check_packed(reader, entries);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = read_entry(reader, entries, i);
    arrfree(entries);
    return status;
}

struct packed_game_lump {
    struct bytes data;
    bool packed;
};

/* Encodes in the byte order of the file, packed when requested and smaller. A packed one is
 * followed by padding: a client reads one byte less than the distance to the next. */
static bool pack(const struct lump_writer *writer, const struct bsp_game_lump *lump,
                 struct packed_game_lump *out)
{
    struct bytes packed = {0};
    *out = (struct packed_game_lump){0};
    if (writer->out->order == ORDER_LITTLE || !lump->data.size)
        bytes_append(&out->data, lump->data.data, lump->data.size);
    else if (!game_lump_reorder(lump->id, lump->version, ORDER_LITTLE, ORDER_BIG, &lump->data,
                                &out->data))
        return false;
    if (!writer->bsp->encoding.compressed || !out->data.size)
        return true;
    if (lzma_pack_lump(out->data.data, out->data.size, &packed) && packed.size < out->data.size) {
        bytes_free(&out->data);
        bytes_u8(&packed, 0);
        bytes_align(&packed, ALIGNMENT);
        out->data = packed;
        out->packed = true;
    } else {
        bytes_free(&packed);
    }
    return true;
}

static void write_entry(struct lump_writer *writer, const struct bsp_game_lump *lump, bool packed,
                        size_t at)
{
    bytes_u32(writer->out, lump->id);
    bytes_u16(writer->out, lump->flags | (packed ? COMPRESSED : 0));
    bytes_u16(writer->out, lump->version);
    bytes_u32(writer->out, (uint32_t)at);
    bytes_u32(writer->out, (uint32_t)lump->data.size);
}

/* Writes the directory, then the data of each. */
static bool write_lumps(struct lump_writer *writer, const struct bsp_game_lump *lumps, size_t count)
{
    const struct bsp_game_lump end = {0};
    const struct bsp_encoding *encoding = &writer->bsp->encoding;
    size_t entries = count + (encoding->compressed ? 1 : 0);
    size_t at = (encoding->relative_game_lumps ? 0 : writer->at) + 4 + entries * ENTRY;
    struct packed_game_lump *packed = memory_zalloc(count + 1, sizeof *packed);
    bool known = true;
    for (size_t i = 0; i < count; i++)
        known = pack(writer, &lumps[i], &packed[i]) && known;
    bytes_u32(writer->out, (uint32_t)entries);
    for (size_t i = 0; i < count; i++) {
        write_entry(writer, &lumps[i], packed[i].packed, at);
        at += packed[i].data.size;
    }
    if (encoding->compressed)
        write_entry(writer, &end, false, at);
    for (size_t i = 0; i < count; i++) {
        bytes_append(writer->out, packed[i].data.data, packed[i].data.size);
        bytes_free(&packed[i].data);
    }
    memory_free(packed);
    if (!known)
        writer->range_error =
            (struct record_range_error){.what = "game lump", .field = "byte order"};
    return known;
}

/* A new BSP gets the lumps that the engine looks for, each with three counts of zero. */
bool vbsp_write_game_lumps(struct lump_writer *writer)
{
    const struct bsp *bsp = writer->bsp;
    unsigned char zeros[12] = {0};
    const struct bsp_game_lump usual[] = {
        {SPRP, 0, (uint16_t)writer->format->static_prop_version, {zeros, sizeof zeros, 0, 0}},
        {DPRP, 0, 4, {zeros, sizeof zeros, 0, 0}},
    };
    if (bsp->format || arrlenu(bsp->game_lumps))
        return write_lumps(writer, bsp->game_lumps, arrlenu(bsp->game_lumps));
    return write_lumps(writer, usual, 2);
}

static bool physics_turn(int lump, const struct bytes *in, enum byte_order from, enum byte_order to,
                         struct bytes *out)
{
    if (lump == LUMP_PHYSDISP)
        return physics_displacements_reorder(in, from, to, out);
    return physics_reorder(in, from, to, out);
}

enum status vbsp_read_physics(struct lump_reader *reader)
{
    struct bytes *out = vbsp_blob_to_read(reader);
    if (reader->data.order == ORDER_LITTLE || !reader->data.size) {
        codec_read_blob(reader, out);
        return STATUS_OK;
    }
    struct bytes big = {0};
    codec_read_blob(reader, &big);
    bool known = physics_turn(reader->lump, &big, ORDER_BIG, ORDER_LITTLE, out);
    bytes_free(&big);
    if (!known)
        return codec_fail(reader, DIAG_BSP_LUMP, "unknown byte order");
    return STATUS_OK;
}

bool vbsp_write_physics(struct lump_writer *writer)
{
    const struct bytes *data = vbsp_blob_to_write(writer);
    if (!data->size && writer->lump == LUMP_PHYSDISP && !writer->bsp->format &&
        !arrlen(writer->bsp->displacements)) {
        bytes_u16(writer->out, 0);
        return true;
    }
    if (writer->out->order == ORDER_LITTLE || !data->size)
        return vbsp_write_blob(writer);
    writer->range_error = (struct record_range_error){.what = "physics", .field = "byte order"};
    return physics_turn(writer->lump, data, ORDER_LITTLE, ORDER_BIG, writer->out);
}
