#include "common/bsp/codec/codec.h"
#include "common/bsp/codec/image.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_conversion.def"
#include "common/diag/codes/bsp_limits.def"
#include "common/diag/codes/internal.def"
#include "common/io/lzma.h"

enum {
    ALIGNMENT = 4,
    SECTOR = 2048, /* sector of a console's disc: the pakfile starts at one, and the file is padded
                      to one */
};

struct writer {
    const struct bsp_codec *codec;
    const struct bsp *bsp;
    struct container container; /* of the file that was read */
    bool has_file;              /* the file exists, and its bytes can be reused */
    bool packed;                /* it has compressed lumps */
    bool repacked;              /* it was compressed and will not be, or vice versa */
    const struct bsp_format *format;
    struct diag *diag;
    struct diag_where where;
    struct image *image;
    unsigned char *header; /* of the image */
    int64_t was_at;        /* offset of this position in the file that was read */
};

/* A lump as it is written. */
struct written {
    struct bytes data; /* empty when the lump is kept */
    size_t size;       /* in the file */
    bool kept;         /* unchanged, at its offset in the file that was read */
    uint8_t four_cc[4];
};

static bool is_vbsp(const struct writer *writer)
{
    return writer->codec->container == &container_vbsp;
}

static int find(const int32_t *order, int count, int lump)
{
    for (int i = 0; i < count; i++)
        if (order[i] == lump)
            return i;
    return -1;
}

static int insert(int32_t *order, int count, int at, int lump)
{
    for (int i = count; i > at; i--)
        order[i] = order[i - 1];
    order[at] = lump;
    return count + 1;
}

/* The file's own order, with missing lumps at their positions in the usual one. */
static int lump_order(const struct writer *writer, int32_t order[BSP_LUMPS])
{
    const struct bsp_layout *layout = &writer->bsp->layout;
    int count = layout->count, after = -1;
    memcpy(order, layout->order, sizeof layout->order);
    for (size_t i = 0; i < writer->format->order_count; i++) {
        int lump = writer->format->order[i], at = find(order, count, lump);
        if (at < 0) {
            at = after + 1;
            count = insert(order, count, at, lump);
        }
        after = at;
    }
    int last = writer->codec->container->game_lumps;
    for (int lump = 0; lump < writer->codec->container->lump_count; lump++)
        if (find(order, count, lump) < 0) {
            int at = last < 0 ? count : find(order, count, last);
            count = insert(order, count, at < 0 ? count : at, lump);
        }
    return count;
}

static size_t alignment_of(const struct writer *writer, int lump)
{
    bool console = writer->bsp->encoding.order == ORDER_BIG;
    return console && lump == LUMP_PAKFILE ? SECTOR : ALIGNMENT;
}

/* Padding of a file in the other byte order is not kept either. */
static bool has_moved(const struct writer *writer)
{
    return !writer->has_file || (int64_t)writer->image->size != writer->was_at;
}

/* Appends bytes of the file that was read. */
static void put_from_file(struct writer *writer, int64_t offset, int64_t size)
{
    const struct bsp_layout *layout = &writer->bsp->layout;
    if (size <= 0)
        return;
    if (layout->source)
        image_from_source(writer->image, (uint64_t)offset, (size_t)size);
    else
        image_borrow(writer->image, layout->file.data + offset, (size_t)size);
}

/* Pads up to the start of the lump. While all lumps before it have their old length, that is its
 * old offset, with the file's own padding. */
static void start_lump(struct writer *writer, int lump)
{
    const struct bsp_layout *layout = &writer->bsp->layout;
    int64_t offset = layout->offset[lump];
    bool moved = has_moved(writer);
    if (offset >= writer->was_at && offset <= layout->size) {
        if (!moved)
            put_from_file(writer, writer->was_at, offset - writer->was_at);
        writer->was_at = offset;
    }
    if (moved)
        image_align(writer->image, alignment_of(writer, lump));
}

/* Returns the version of a lump in a file of this format. */
static int32_t codec_lump_version(const struct bsp *bsp, const struct bsp_format *format, int lump,
                                  size_t size)
{
    const struct bsp_raw_lump *raw = &bsp->carried[lump];
    const struct bsp_light_set *set = lump == LUMP_LEAFAMBIENT_HDR ? &bsp->hdr : &bsp->ldr;
    int index = lump == LUMP_LEAFAMBIENT_HDR ? LUMP_LEAFAMBIENTINDEX_HDR : LUMP_LEAFAMBIENTINDEX;
    if (format->entry == ENTRY_SHORT)
        return 0;
    if (!bsp->format)
        return raw->version ? raw->version : vbsp_usual_version(format, lump);
    /* Files of 2007 have one sample per leaf and store the lump's length as its version: neither
     * goes with an index that was added since. */
    if ((lump == LUMP_LEAFAMBIENT || lump == LUMP_LEAFAMBIENT_HDR) && arrlenu(set->ambient_index) &&
        !bsp->layout.length[index])
        return vbsp_usual_version(format, lump);
    return size && !raw->present ? vbsp_usual_version(format, lump) : raw->version;
}

static void set_directory(struct writer *writer, int lump, int64_t offset,
                          const struct written *written, int32_t version)
{
    enum byte_order order = writer->image->order;
    uint32_t fields[3] = {(uint32_t)offset, (uint32_t)written->size, (uint32_t)version};
    const struct container_kind *kind = writer->codec->container;
    unsigned char *entry = writer->header + kind->directory_at + (size_t)lump * kind->entry_size;
    if (writer->format->entry == ENTRY_SHORT) {
        store_u32(order, entry, fields[0]);
        store_u32(order, entry + 4, fields[1]);
        return;
    }
    size_t first = writer->format->entry == ENTRY_VERSION_FIRST ? 2 : 0;
    for (size_t i = 0; i < 3; i++)
        store_u32(order, entry + 4 * i, fields[(first + i) % 3]);
    memcpy(entry + 12, written->four_cc, sizeof written->four_cc);
}

bool codec_encode_lump(const struct bsp *bsp, const struct bsp_format *format, int lump, size_t at,
                       struct bytes *out, struct record_range_error *range_error)
{
    struct lump_writer writer = {.codec = format->codec,
                                 .bsp = bsp,
                                 .format = format,
                                 .lump = lump,
                                 .version = codec_lump_version(bsp, format, lump, 1),
                                 .at = at,
                                 .out = out};
    const struct lump_codec *codec = codec_find(format->codec, lump, writer.version);
    bool fits = true;
    if (codec && codec->encode) {
        fits = codec->encode(&writer);
    } else if (codec) {
        const unsigned char *array = (const unsigned char *)bsp + codec->offset;
        fits = record_encode(codec->record, array_data(array), array_length(array), out,
                             &writer.range_error);
    } else {
        bytes_append(out, bsp->carried[lump].data.data, bsp->carried[lump].data.size);
    }
    *range_error = writer.range_error;
    return fits;
}

/* Lumps that are read together. Those that were skipped when the file was read had no part in
 * it. */
static uint64_t read_with(const struct writer *writer, int lump)
{
    const struct container_kind *kind = writer->codec->container;
    uint64_t alone = UINT64_C(1) << lump;
    for (size_t i = 0; i < kind->together_count; i++)
        if (kind->together[i] & alone)
            return kind->together[i] & ~writer->bsp->skipped;
    return alone;
}

/* The same for bytes that need no reading: our codec encodes most lumps as it found them. */
static bool has_bytes_of_file(const struct writer *writer, int lump, const struct bytes *now)
{
    const struct container_lump *entry = &writer->container.lumps[lump];
    return !writer->packed && !writer->repacked && now->size == (size_t)entry->length &&
           (!now->size || !memcmp(now->data, writer->container.data + entry->offset, now->size));
}

/* Returns true when the lump, which now has these bytes, has its old contents. The file may encode
 * it in another way, so the file's lump is decoded and encoded again for the comparison. */
static bool is_unchanged(const struct writer *writer, int lump, size_t at, const struct bytes *now)
{
    struct record_range_error range_error;
    struct bytes then = {.order = writer->image->order};
    if (has_bytes_of_file(writer, lump, now))
        return true;
    struct bsp *was = bsp_new();
    struct diag *quiet = diag_new(NULL, NULL);
    was->format = writer->bsp->format;
    bool same = codec_read(was->format->codec, &writer->container, read_with(writer, lump), quiet,
                           was) == STATUS_OK &&
                codec_encode_lump(was, writer->format, lump, at, &then, &range_error) &&
                now->size == then.size && (!now->size || !memcmp(now->data, then.data, now->size));
    bytes_free(&then);
    diag_free(quiet);
    bsp_free(was);
    return same;
}

/* Returns true for a lump that was not decoded, or whose bytes are those of the file, not only
 * equal to them. */
static bool is_borrowed(const struct writer *writer, int lump)
{
    const struct container_lump *entry = &writer->container.lumps[lump];
    const struct lump_codec *codec = codec_find(writer->codec, lump, entry->version);
    const struct bsp *bsp = writer->bsp;
    const struct bytes *blob = NULL;
    if (bsp->skipped >> lump & 1)
        return true;
    if (!writer->has_file || writer->packed || writer->repacked || !entry->length)
        return false;
    if (!codec)
        blob = &bsp->carried[lump].data;
    else if (codec->decode == vbsp_read_blob)
        blob = (const struct bytes *)((const unsigned char *)bsp + codec->offset);
    return blob && !blob->capacity && blob->size == (size_t)entry->length &&
           blob->data == writer->container.data + entry->offset;
}

/* Of contents in two lumps neither is unchanged unless both are. */
static bool has_unchanged_twin(const struct writer *writer, int lump, size_t at)
{
    struct record_range_error range_error;
    struct bytes now = {.order = writer->image->order};
    const int *twins = writer->codec->container->twins;
    if (twins[0] == twins[1] || (lump != twins[0] && lump != twins[1]))
        return true;
    int twin = lump == twins[0] ? twins[1] : twins[0];
    bool same = codec_encode_lump(writer->bsp, writer->format, twin, at, &now, &range_error) &&
                is_unchanged(writer, twin, at, &now);
    bytes_free(&now);
    return same;
}

/* Game lumps hold their own offsets in the file. */
static bool has_same_offset(const struct writer *writer, int lump)
{
    bool bound = lump == writer->codec->container->game_lumps && writer->bsp->layout.length[lump] &&
                 !writer->bsp->encoding.relative_game_lumps;
    return !bound || (int64_t)writer->image->size == writer->bsp->layout.offset[lump];
}

static void compress(struct writer *writer, int lump, struct written *written)
{
    struct bytes packed = {0};
    if (!writer->bsp->encoding.compressed || !written->data.size ||
        !container_may_compress(writer->codec->container, lump))
        return;
    uint32_t size = (uint32_t)written->data.size;
    if (lzma_pack_lump(written->data.data, written->data.size, &packed) && packed.size < size) {
        bytes_free(&written->data);
        written->data = packed;
        store_u32(writer->image->order, written->four_cc, size);
    } else {
        bytes_free(&packed);
    }
}

static enum status report_range_error(struct writer *writer,
                                      const struct record_range_error *range_error)
{
    return diag_report(writer->diag, DIAG_BSP_FIELD_RANGE, &writer->where,
                       "%s %zu: %s is %lld; %s stores %lld to %lld", range_error->what,
                       range_error->record, range_error->field, (long long)range_error->value,
                       writer->format->title, (long long)range_error->min,
                       (long long)range_error->max);
}

/* Keeps the file's bytes of an unchanged lump; without a copy when they need no packing. */
static enum status keep_lump(struct writer *writer, int lump, struct written *written)
{
    const struct container_lump *entry = &writer->container.lumps[lump];
    struct bytes unpacked = {0};
    struct byte_reader data;
    if (!writer->repacked) {
        written->kept = true;
        written->size = (size_t)entry->length;
        memcpy(written->four_cc, entry->four_cc, sizeof written->four_cc);
        return STATUS_OK;
    }
    enum status status = container_lump(&writer->container, lump, writer->diag, &unpacked, &data);
    if (status == STATUS_OK)
        bytes_append(&written->data, data.data, data.size);
    bytes_free(&unpacked);
    compress(writer, lump, written);
    written->size = written->data.size;
    return status;
}

static enum status make_lump(struct writer *writer, int lump, size_t at, struct written *written)
{
    struct record_range_error range_error;
    *written = (struct written){.data = {.order = writer->image->order}};
    if (is_borrowed(writer, lump))
        return keep_lump(writer, lump, written);
    if (!codec_encode_lump(writer->bsp, writer->format, lump, at, &written->data, &range_error)) {
        bytes_free(&written->data);
        return report_range_error(writer, &range_error);
    }
    if (writer->has_file && has_same_offset(writer, lump) &&
        is_unchanged(writer, lump, at, &written->data) && has_unchanged_twin(writer, lump, at)) {
        bytes_free(&written->data);
        return keep_lump(writer, lump, written);
    }
    compress(writer, lump, written);
    written->size = written->data.size;
    return STATUS_OK;
}

/* Returns true when a lump without bytes has no offset in the file: Valve's tools give an empty
 * lump the offset that it would have, but only lumps that they write at all. */
static bool is_left_out(const struct writer *writer, int lump)
{
    bool listed = writer->format->order_count &&
                  memchr(writer->format->order, lump, writer->format->order_count);
    return writer->bsp->format || !listed || (is_vbsp(writer) && lump == LUMP_FACES_HDR);
}

/* A new file has only the lumps of its format. */
static bool is_foreign(const struct writer *writer, int lump)
{
    return !writer->bsp->format && writer->format->order_count &&
           !memchr(writer->format->order, lump, writer->format->order_count) &&
           codec_find(writer->codec, lump, vbsp_usual_version(writer->format, lump));
}

static enum status write_lump(struct writer *writer, int lump)
{
    const struct bsp_layout *layout = &writer->bsp->layout;
    bool had_place = layout->count && writer->bsp->carried[lump].present;
    bool moved = has_moved(writer);
    struct written written;
    if (is_foreign(writer, lump))
        return STATUS_OK;
    if (had_place)
        start_lump(writer, lump);
    size_t at = writer->image->size, alignment = alignment_of(writer, lump);
    if (!had_place)
        at = (at + alignment - 1) / alignment * alignment;
    TRY(make_lump(writer, lump, at, &written));
    int32_t version = codec_lump_version(writer->bsp, writer->format, lump, written.size);
    if (written.size || had_place || !is_left_out(writer, lump)) {
        if (at > writer->image->size)
            image_reserve(writer->image, at - writer->image->size);
        if (written.kept)
            put_from_file(writer, layout->offset[lump], layout->length[lump]);
        else
            image_take(writer->image, &written.data);
        /* An empty lump may have any offset. */
        bool odd = had_place && !moved && !written.size && !layout->length[lump];
        set_directory(writer, lump, odd ? layout->offset[lump] : (int64_t)at, &written, version);
    } else {
        set_directory(writer, lump, 0, &written, writer->bsp->format ? version : 0);
    }
    if (had_place && layout->length[lump] &&
        layout->offset[lump] + layout->length[lump] > writer->was_at)
        writer->was_at = layout->offset[lump] + layout->length[lump];
    bytes_free(&written.data);
    return STATUS_OK;
}

static void finish_file(struct writer *writer)
{
    const struct bsp_layout *layout = &writer->bsp->layout;
    if (layout->count && !has_moved(writer))
        put_from_file(writer, writer->was_at, layout->size - writer->was_at);
    else
        image_align(writer->image, writer->bsp->encoding.order == ORDER_BIG ? SECTOR : ALIGNMENT);
}

static void write_header(struct writer *writer)
{
    const struct container_kind *kind = writer->codec->container;
    enum byte_order order = writer->image->order;
    writer->header = image_reserve(writer->image, kind->header_size);
    memcpy(writer->header, order == ORDER_BIG ? kind->swapped : kind->magic, 4);
    store_u32(order, writer->header + 4, (uint32_t)writer->format->version);
    if (kind->revision_at)
        store_u32(order, writer->header + kind->revision_at, (uint32_t)writer->bsp->revision);
}

/* Game lumps are packed individually, as their own directory says; so these are read. */
static bool is_packed(const struct writer *writer, struct diag *quiet)
{
    const struct container *container = &writer->container;
    struct bsp *was = bsp_new();
    int game_lumps = container->kind->game_lumps;
    uint64_t wanted = game_lumps >= 0 ? UINT64_C(1) << game_lumps : UINT64_C(0);
    was->format = writer->bsp->format;
    bool packed = codec_read(was->format->codec, container, wanted, quiet, was) == STATUS_OK &&
                  was->encoding.compressed;
    bsp_free(was);
    return packed;
}

/* Opens the file that was read, for finding unchanged lumps. */
static void open_file(struct writer *writer)
{
    const struct bsp *bsp = writer->bsp;
    const struct bytes *file = &bsp->layout.file;
    struct diag *quiet = diag_new(NULL, NULL);
    if (bsp->layout.count && bsp->format &&
        container_open(file->data, file->size, writer->where.file, quiet, &writer->container) ==
            STATUS_OK) {
        writer->has_file = writer->container.order == bsp->encoding.order;
        writer->packed = is_packed(writer, quiet);
    }
    writer->repacked = writer->packed != bsp->encoding.compressed;
    diag_free(quiet);
}

/* Reads the lumps that were left in the file: they are to be packed or unpacked. */
static bool read_skipped_lumps(const struct writer *writer)
{
    const struct bsp_layout *layout = &writer->bsp->layout;
    struct bytes file = layout->file;
    return !layout->source ||
           codec_read_lumps(layout->source, &writer->container, writer->bsp->skipped, &file) == 0;
}

enum status codec_write(const struct bsp *bsp, const struct bsp_format *format, const char *name,
                        struct diag *diag, struct image *out)
{
    struct writer writer = {.codec = format->codec,
                            .bsp = bsp,
                            .format = format,
                            .diag = diag,
                            .where = {.file = name},
                            .image = out};
    int32_t order[BSP_LUMPS];
    int count = lump_order(&writer, order);
    enum status status = STATUS_OK;
    out->order = bsp->encoding.order;
    open_file(&writer);
    if (bsp->skipped && (!writer.has_file || (writer.repacked && !read_skipped_lumps(&writer))))
        return diag_report(diag, DIAG_INTERNAL, &writer.where, "only a part of the file was read");
    write_header(&writer);
    writer.was_at = (int64_t)out->size;
    for (int i = 0; i < count && status == STATUS_OK; i++)
        status = write_lump(&writer, order[i]);
    if (status == STATUS_OK)
        finish_file(&writer);
    if (status == STATUS_OK && out->size > INT32_MAX)
        status = diag_report(diag, DIAG_BSP_LIMIT, &writer.where,
                             "file of %zu bytes, %zu more than its directory can address",
                             out->size, out->size - INT32_MAX);
    if (status != STATUS_OK)
        image_free(out);
    return status;
}
