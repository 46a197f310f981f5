#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/bsp/codec/codec.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_records.def"

enum { MESSAGE_SIZE = 256 };

enum status codec_fail(struct lump_reader *reader, int code, const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return diag_report(reader->diag, code, &reader->where, "lump %d (%s): %s", reader->lump,
                       container_lump_name(reader->codec->container, reader->lump), message);
}

const struct lump_codec *codec_find(const struct bsp_codec *codec, int lump, int32_t version)
{
    for (; codec; codec = codec->base)
        for (size_t i = 0; i < codec->count; i++) {
            const struct lump_codec *found = &codec->lumps[i];
            if (found->lump == lump && (found->version == ANY_VERSION || found->version == version))
                return found;
        }
    return NULL;
}

enum status codec_read_array(struct lump_reader *reader, const struct lump_codec *lump)
{
    const struct record *record = lump->record;
    struct byte_reader *data = &reader->data;
    if (data->size % record->file_size)
        return codec_fail(reader, DIAG_BSP_LUMP,
                          "%zu bytes, not a multiple of the %zu bytes of a record (%s)", data->size,
                          record->file_size, record->name);
    size_t count = data->size / record->file_size;
    void *records =
        array_make((unsigned char *)reader->bsp + lump->offset, count, record->memory_size);
    record_decode(record, data->order, data->data, count, records);
    return STATUS_OK;
}

/* Unpacked bytes stay in the file, which the bsp keeps. */
void codec_read_blob(struct lump_reader *reader, struct bytes *out)
{
    bool packed = reader->container->lumps[reader->lump].unpacked != 0;
    if (packed || !reader->data.size)
        bytes_append(out, reader->data.data, reader->data.size);
    else
        *out =
            (struct bytes){.data = (unsigned char *)reader->data.data, .size = reader->data.size};
}

struct lump_position {
    int64_t offset, length;
    int32_t lump;
};

/* Returns the position of a lump in the usual order; past the end when it has none. */
static ptrdiff_t usual_position(const struct bsp_format *format, int lump)
{
    const uint8_t *at =
        format->order_count ? memchr(format->order, lump, format->order_count) : NULL;
    return at ? at - format->order : BSP_LUMPS + lump;
}

/* Empty lumps come before the lumps at the same offset, and among themselves in the usual order: so
 * a stage finds a file of an earlier stage in the order in which one program would have written
 * it. */
static bool comes_before(const struct bsp_format *format, const struct lump_position *p,
                         const struct lump_position *q)
{
    if (p->offset != q->offset)
        return p->offset < q->offset;
    if (!p->length != !q->length)
        return !p->length;
    return usual_position(format, p->lump) < usual_position(format, q->lump);
}

static void sort_positions(const struct bsp_format *format, struct lump_position *positions,
                           int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k && comes_before(format, &positions[k], &positions[k - 1]); k--) {
            struct lump_position moved = positions[k];
            positions[k] = positions[k - 1];
            positions[k - 1] = moved;
        }
}

static void read_layout(const struct container *container, struct bsp *bsp)
{
    struct bsp_layout *layout = &bsp->layout;
    struct lump_position positions[BSP_LUMPS];
    layout->size = (int64_t)container->size;
    for (int lump = 0; lump < container->lump_count && lump < BSP_LUMPS; lump++) {
        const struct container_lump *entry = &container->lumps[lump];
        struct bsp_raw_lump *raw = &bsp->carried[lump];
        raw->version = entry->version;
        raw->present = entry->present;
        memcpy(raw->four_cc, entry->four_cc, sizeof raw->four_cc);
        layout->offset[lump] = entry->offset;
        layout->length[lump] = entry->length;
        bsp->encoding.compressed = bsp->encoding.compressed || entry->unpacked;
        if (entry->present)
            positions[layout->count++] = (struct lump_position){entry->offset, entry->length, lump};
    }
    sort_positions(bsp->format, positions, layout->count);
    for (int i = 0; i < layout->count; i++)
        layout->order[i] = positions[i].lump;
}

static enum status read_lump(const struct lump_reader *base, int lump)
{
    struct lump_reader reader = *base;
    struct bytes unpacked = {0};
    reader.lump = lump;
    reader.version = base->container->lumps[lump].version;
    const struct lump_codec *codec = codec_find(base->codec, lump, reader.version);
    if (codec && !codec->record && !codec->decode)
        return STATUS_OK; /* another lump's codec reads it */
    TRY(container_lump(base->container, lump, base->diag, &unpacked, &reader.data));
    enum status status = STATUS_OK;
    if (codec && codec->decode)
        status = codec->decode(&reader);
    else if (codec)
        status = codec_read_array(&reader, codec);
    else
        codec_read_blob(&reader, &base->bsp->carried[lump].data);
    bytes_free(&unpacked);
    return status;
}

/* Checks a lump that is listed with versions, none of which is the file's. */
static enum status check_version(const struct lump_reader *reader, int lump)
{
    int32_t version = reader->container->lumps[lump].version;
    if (codec_find(reader->codec, lump, version) || !reader->container->lumps[lump].length)
        return STATUS_OK;
    for (const struct bsp_codec *codec = reader->codec; codec; codec = codec->base)
        for (size_t i = 0; i < codec->count; i++)
            if (codec->lumps[i].lump == lump)
                return diag_report(reader->diag, DIAG_BSP_LUMP, &reader->where,
                                   "lump %d (%s): unsupported version %d", lump,
                                   container_lump_name(codec->container, lump), version);
    return STATUS_OK;
}

enum status codec_read(const struct bsp_codec *codec, const struct container *container,
                       uint64_t wanted, struct diag *diag, struct bsp *bsp)
{
    struct lump_reader reader = {.codec = codec,
                                 .container = container,
                                 .diag = diag,
                                 .where = {.file = container->name},
                                 .bsp = bsp};
    uint64_t done = 0;
    bsp->revision = container->revision;
    bsp->encoding.order = container->order;
    read_layout(container, bsp);
    for (const struct bsp_codec *part = codec; part; part = part->base)
        for (size_t i = 0; i < part->count; i++) {
            int lump = part->lumps[i].lump;
            if (done >> lump & 1 || !(wanted >> lump & 1))
                continue;
            TRY(check_version(&reader, lump));
            TRY(read_lump(&reader, lump));
            done |= UINT64_C(1) << lump;
        }
    for (int lump = 0; lump < codec->container->lump_count; lump++)
        if (!(done >> lump & 1) && wanted >> lump & 1)
            TRY(read_lump(&reader, lump));
    bsp->skipped = ~wanted;
    return STATUS_OK;
}
