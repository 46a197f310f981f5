#include "common/bsp/codec.h"
#include "common/core/array.h"

enum { HEADER_SIZE = 1036, DIRECTORY_AT = 8, DIRECTORY_ENTRY = 16, ALIGNMENT = 4 };

struct writer {
    const struct bsp_codec *codec;
    const struct bsp *bsp;
    const struct bsp_format *format;
    struct diag *diag;
    struct diag_where where;
    struct bytes file;
    int64_t was;       /* where this place was in the file that was read */
    size_t padding_at; /* how much of the layout's padding is behind us */
};

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

/* The file's own order, and where the usual one has them, those that it lacks. */
static int lump_order(const struct bsp *bsp, int32_t order[BSP_LUMPS])
{
    int count = bsp->layout.count, after = -1;
    memcpy(order, bsp->layout.order, sizeof bsp->layout.order);
    for (int i = 0; i < VBSP_ORDER; i++) {
        int at = find(order, count, vbsp_order[i]);
        if (at < 0) {
            at = after + 1;
            count = insert(order, count, at, vbsp_order[i]);
        }
        after = at;
    }
    for (int lump = 0; lump < BSP_LUMPS; lump++)
        if (find(order, count, lump) < 0)
            count = insert(order, count, find(order, count, LUMP_GAMELUMP), lump);
    return count;
}

/* Fills up to where the lump has to start. While all before it is as long as it was, that is its
 * own place with the file's own filler. */
static void start_lump(struct writer *writer, int64_t offset)
{
    const struct bsp_layout *layout = &writer->bsp->layout;
    bool moved = (int64_t)writer->file.size != writer->was;
    if (offset >= writer->was && offset <= layout->size) {
        size_t gap = (size_t)(offset - writer->was);
        if (!moved)
            bytes_append(&writer->file, layout->padding.data + writer->padding_at, gap);
        writer->padding_at += gap;
        writer->was = offset;
    }
    if (moved)
        bytes_align(&writer->file, ALIGNMENT);
}

/* Files of 2007 have one sample a leaf and the lump's length for its version: neither goes with an
 * index that has come since. */
static bool has_new_index(const struct bsp *bsp, int lump)
{
    if (lump == LUMP_LEAFAMBIENT)
        return arrlenu(bsp->ldr.ambient_index) && !bsp->layout.length[LUMP_LEAFAMBIENTINDEX];
    if (lump == LUMP_LEAFAMBIENT_HDR)
        return arrlenu(bsp->hdr.ambient_index) && !bsp->layout.length[LUMP_LEAFAMBIENTINDEX_HDR];
    return false;
}

static int32_t version_of(const struct bsp *bsp, int lump, size_t size)
{
    const struct bsp_raw_lump *raw = &bsp->carried[lump];
    if (has_new_index(bsp, lump))
        return vbsp_usual_version(lump);
    if (!bsp->format)
        return raw->version ? raw->version : vbsp_usual_version(lump);
    return size && !raw->present ? vbsp_usual_version(lump) : raw->version;
}

static void store_u32(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

static void set_directory(struct writer *writer, int lump, int64_t offset, size_t size)
{
    unsigned char *entry =
        writer->file.data + DIRECTORY_AT + (size_t)lump * (size_t)DIRECTORY_ENTRY;
    store_u32(entry, (uint32_t)offset);
    store_u32(entry + 4, (uint32_t)size);
    store_u32(entry + 8, (uint32_t)version_of(writer->bsp, lump, size));
    memcpy(entry + 12, writer->bsp->carried[lump].four_cc, 4);
}

static enum status report_misfit(struct writer *writer, int lump,
                                 const struct record_misfit *misfit)
{
    const struct lump_array *array = vbsp_array(writer->codec, lump);
    return diag_report(writer->diag, DIAG_BSP_MISFIT, &writer->where,
                       "%s %zu: %s is %lld, but %s has room for %lld to %lld only",
                       array ? array->record->name : "ambient sample", misfit->record,
                       misfit->field, (long long)misfit->value, writer->format->title,
                       (long long)misfit->least, (long long)misfit->most);
}

/* The file's own spelling of the lump that starts at `at`, if what it says has not changed. */
static const struct bytes *own_spelling(const struct writer *writer, int lump, size_t at)
{
    const struct bsp_layout *layout = &writer->bsp->layout;
    for (size_t i = 0; i < arrlenu(layout->respelled); i++) {
        const struct bsp_respelled *respelled = &layout->respelled[i];
        if (respelled->lump != lump)
            continue;
        struct bytes ours = {0};
        struct record_misfit misfit;
        bool same = vbsp_encode_whole(writer->codec, writer->bsp, writer->format, lump, at, &ours,
                                      &misfit) &&
                    ours.size == respelled->ours.size &&
                    (!ours.size || !memcmp(ours.data, respelled->ours.data, ours.size));
        bytes_free(&ours);
        return same ? &respelled->file : NULL;
    }
    return NULL;
}

/* Whether the lump has no place in the file: Valve's tools give an empty lump the offset that it
 * would have had, but only those lumps that they write at all. */
static bool is_left_out(const struct writer *writer, int lump)
{
    if (writer->bsp->format || lump == LUMP_FACES_HDR)
        return true;
    return !memchr(vbsp_order, lump, sizeof vbsp_order);
}

static enum status write_lump(struct writer *writer, int lump)
{
    const struct bsp_layout *layout = &writer->bsp->layout;
    bool had_place = layout->count && writer->bsp->carried[lump].present;
    bool moved = (int64_t)writer->file.size != writer->was;
    if (had_place)
        start_lump(writer, layout->offset[lump]);
    size_t at = writer->file.size;
    if (!had_place)
        at = (at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct bytes data = {0};
    struct record_misfit misfit;
    const struct bytes *own = own_spelling(writer, lump, at);
    if (own)
        bytes_append(&data, own->data, own->size);
    else if (!vbsp_encode_lump(writer->codec, writer->bsp, writer->format, lump, at, &data,
                               &misfit)) {
        bytes_free(&data);
        return report_misfit(writer, lump, &misfit);
    }
    if (data.size || had_place || !is_left_out(writer, lump)) {
        bytes_fill(&writer->file, 0, at - writer->file.size);
        bytes_append(&writer->file, data.data, data.size);
        /* An empty lump's offset may be anything. */
        bool odd = had_place && !moved && !data.size && !layout->length[lump];
        set_directory(writer, lump, odd ? layout->offset[lump] : (int64_t)at, data.size);
    } else {
        set_directory(writer, lump, 0, 0);
    }
    if (had_place && layout->length[lump] &&
        layout->offset[lump] + layout->length[lump] > writer->was)
        writer->was = layout->offset[lump] + layout->length[lump];
    bytes_free(&data);
    return STATUS_OK;
}

static void finish_file(struct writer *writer)
{
    const struct bsp_layout *layout = &writer->bsp->layout;
    if (layout->count && (int64_t)writer->file.size == writer->was)
        bytes_append(&writer->file, layout->padding.data + writer->padding_at,
                     layout->padding.size - writer->padding_at);
    else
        bytes_align(&writer->file, ALIGNMENT);
}

enum status vbsp_encode(const struct bsp_codec *codec, const struct bsp *bsp,
                        const struct bsp_format *format, const char *name, struct diag *diag,
                        struct bytes *out)
{
    struct writer writer = {codec, bsp, format, diag, {.file = name}, {0}, HEADER_SIZE, 0};
    int32_t order[BSP_LUMPS];
    int count = lump_order(bsp, order);
    enum status status = STATUS_OK;
    bytes_append(&writer.file, "VBSP", 4);
    bytes_i32(&writer.file, codec->version);
    bytes_fill(&writer.file, 0, (size_t)BSP_LUMPS * (size_t)DIRECTORY_ENTRY);
    bytes_i32(&writer.file, bsp->revision);
    for (int i = 0; i < count && status == STATUS_OK; i++)
        status = write_lump(&writer, order[i]);
    finish_file(&writer);
    if (status == STATUS_OK && writer.file.size > INT32_MAX)
        status = diag_report(diag, DIAG_BSP_LIMIT, &writer.where,
                             "the file would have %zu bytes, %zu too many for its directory",
                             writer.file.size, writer.file.size - INT32_MAX);
    if (status == STATUS_OK)
        bytes_append(out, writer.file.data, writer.file.size);
    bytes_free(&writer.file);
    return status;
}
